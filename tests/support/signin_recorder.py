"""What clients ask of a sign-in endpoint, with what it answers: the content of exchanges, for tests alone."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qsl

import jwt

from docshelf.signin.function import SigninFunction
from tests.support.api_gateway import Handle
from tests.support.signin_endpoint import SigninEndpoint

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

_AN_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request and its answer. `form` has the fields of a form, `rpc` the message of a JSON-RPC request."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    form: dict[str, str]
    rpc: dict[str, Any]
    status: int
    location: str | None
    text: str = field(repr=False)

    @property
    def asked(self) -> str:
        """Method and path, such as `POST /token`."""
        return f"{self.method} {self.path}"


@dataclass(slots=True)
class Recorder:
    """Stands between the front and the functions of `endpoint`; `exchanges` is what went through, oldest first."""

    endpoint: SigninEndpoint
    exchanges: list[Recorded] = field(default_factory=list)
    _used: set[str] = field(default_factory=set)
    _over: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for name, function in list(self.endpoint.functions.items()):
            self.endpoint.functions[name] = self._between(function)

    @contextmanager
    def answered_by(self, name: str, function: Handle) -> Iterator[None]:
        """Have `function` answer in the place of the one that is called `name`, for the block."""
        before = self.endpoint.functions[name]
        self.endpoint.functions[name] = self._between(function)
        try:
            yield
        finally:
            self.endpoint.functions[name] = before

    def end_tokens(self) -> None:
        """Let the time be over of every access token that was used so far, as far as the search function knows."""
        self._over |= self._used

    def cut(self) -> list[Recorded]:
        """The exchanges since the last cut."""
        taken = list(self.exchanges)
        self.exchanges.clear()
        return taken

    def _between(self, function: Handle) -> Handle:
        def handle(event: object) -> object:
            asked = cast("dict[str, Any]", event)
            sent = dict(asked["headers"])
            token = _bearer(sent)
            if token:
                self._used.add(token)
            if token in self._over:
                asked["headers"]["authorization"] = f"Bearer {self._ended(token)}"
            answer = cast("dict[str, Any]", function(asked))
            self.exchanges.append(_recorded(asked, sent, answer))
            return answer

        return handle

    def _ended(self, token: str) -> str:
        """The same token, given two hours ago."""
        claims: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
        begun = int(time.time()) - 2 * _AN_HOUR
        return self.endpoint.issuer.issue(**{**claims, "iat": begun, "auth_time": begun, "exp": begun + _AN_HOUR})


def _bearer(headers: dict[str, str]) -> str:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token if scheme.lower() == "bearer" else ""


def _recorded(event: dict[str, Any], headers: dict[str, str], answer: dict[str, Any]) -> Recorded:
    http, body = event["requestContext"]["http"], _text_of(event)
    answered = {name.lower(): value for name, value in answer.get("headers", {}).items()}
    is_form = headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
    return Recorded(
        method=http["method"],
        path=event["rawPath"],
        query=dict(parse_qsl(event.get("rawQueryString", ""), keep_blank_values=True)),
        headers=headers,
        form=dict(parse_qsl(body, keep_blank_values=True)) if is_form else {},
        rpc=_rpc(body) if http["method"] == "POST" and event["rawPath"] == "/mcp" else {},
        status=answer["statusCode"],
        location=answered.get("location"),
        text=_text_of(answer),
    )


def _text_of(message: dict[str, Any]) -> str:
    body = message.get("body") or ""
    return base64.b64decode(body).decode("utf-8", "replace") if message.get("isBase64Encoded") else body


def _rpc(body: str) -> dict[str, Any]:
    message = json.loads(body)
    return message if isinstance(message, dict) else {}


def handling(function: SigninFunction) -> Handle:
    """What an instance in this process answers."""

    def handle(event: object) -> object:
        return function.handle(cast("dict[str, object]", event), cast("LambdaContext", None))

    return handle


def without_documents(function: Handle) -> Handle:
    """The same function, whose metadata does not say that client ID metadata documents are taken."""

    def handle(event: object) -> object:
        answer = cast("dict[str, Any]", function(event))
        if cast("dict[str, Any]", event)["rawPath"].endswith("/oauth-authorization-server"):
            metadata = json.loads(_text_of(answer))
            del metadata["client_id_metadata_document_supported"]
            return {**answer, "body": json.dumps(metadata), "isBase64Encoded": False}
        return answer

    return handle
