"""The domain of a user pool of Cognito on this machine: sign-in pages, tokens, and its errors as it writes them."""

from __future__ import annotations

import base64
import binascii
import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from http.cookies import SimpleCookie
from urllib.parse import parse_qsl, urlencode

from tests.support.api_gateway_server import WireAnswer, WireRequest, http_front
from tests.support.cognito_answers import back_with, found, json_answer, login_page, page
from tests.support.cognito_pool import AppClient, Grant, Person, Pool, PoolError

_SESSION = "cognito"
_FORM = "application/x-www-form-urlencoded"


class Fault(StrEnum):
    """What the pool does wrong until it is told otherwise: the first two when signing in, the others at its back."""

    DENIED = "denied"
    SIGN_IN_FAILS = "sign_in_fails"
    BROKEN = "broken"
    PAGE_INSTEAD = "page_instead"
    NOT_JSON = "not_json"
    NO_TOKEN = "no_token"
    SLOW = "slow"


@dataclass(slots=True)
class FakeCognito:
    """The domain at `url`. `asked` has the requests, oldest first, as (method and path, parameters)."""

    url: str
    pool: Pool
    fault: Fault | None = None
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    sessions: dict[str, Person] = field(default_factory=dict)
    _ended: threading.Event = field(default_factory=threading.Event)

    def answer(self, request: WireRequest) -> WireAnswer:
        """The answer to one request, whatever it is."""
        path, _, query = request.target.partition("?")
        pairs = parse_qsl(
            query if request.method == "GET" else request.body.decode(errors="replace"), keep_blank_values=True
        )
        asked, parameters = f"{request.method} {path}", dict(pairs)
        self.asked.append((asked, parameters))
        if len(pairs) != len(parameters):
            return json_answer(400, {"error": "invalid_request", "error_description": "duplicated parameter"})
        match asked:
            case "GET /oauth2/authorize":
                return self._authorize(request, parameters)
            case "GET /login":
                return login_page(query, "")
            case "POST /login":
                return self._log_in(parameters)
            case "POST /oauth2/token" | "POST /oauth2/revoke":
                return self._back(request, path, parameters)
        return page(200 if path == "/error" else 404, "An error was encountered with the requested page.")

    def end(self) -> None:
        """Let slow answers go."""
        self._ended.set()

    def _authorize(self, request: WireRequest, asked: dict[str, str]) -> WireAnswer:
        client = self.pool.clients.get(asked.get("client_id", ""))
        if client is None:
            return found(f"{self.url}/error?error=Client+does+not+exist.")
        if asked.get("redirect_uri") not in client.redirect_uris:
            mismatch = {"error": "redirect_mismatch", "client_id": client.client_id}
            return found(f"{self.url}/error?{urlencode(mismatch)}")
        if error := _error_of(asked, client):
            return back_with(asked, {"error": error})
        person = self.sessions.get(_session_of(request))
        return self._signed_in(asked, person) if person else found(f"{self.url}/login?{urlencode(asked)}")

    def _log_in(self, form: dict[str, str]) -> WireAnswer:
        asked = dict(parse_qsl(form.get("asked", ""), keep_blank_values=True))
        person = self.pool.people.get(form.get("username", ""))
        if person is None or not secrets.compare_digest(person.password, form.get("password", "")):
            return login_page(urlencode(asked), "Incorrect username or password.")
        session = secrets.token_urlsafe()
        self.sessions[session] = person
        answer = self._signed_in(asked, person)
        cookie = f"{_SESSION}={session}; Path=/; Secure; HttpOnly; SameSite=Lax"
        return WireAnswer(answer.status, [*answer.headers, ("set-cookie", cookie)], answer.body)

    def _signed_in(self, asked: dict[str, str], person: Person) -> WireAnswer:
        if self.fault is Fault.DENIED:
            return back_with(asked, {"error_description": "User is not assigned.", "error": "access_denied"})
        if self.fault is Fault.SIGN_IN_FAILS:
            return back_with(asked, {"error_description": "attributes <b>required</b>", "error": "invalid_request"})
        scopes = tuple(asked["scope"].split()) if "scope" in asked else self.pool.clients[asked["client_id"]].scopes
        grant = Grant(
            asked["client_id"], person, scopes, asked.get("resource"), asked["redirect_uri"],
            asked.get("code_challenge"), 0,
        )  # fmt: skip
        return back_with(asked, {"code": self.pool.give_code(grant)})

    def _back(self, request: WireRequest, path: str, form: dict[str, str]) -> WireAnswer:
        match self.fault:
            case Fault.BROKEN:
                return json_answer(500, {"message": "Internal Server Error"})
            case Fault.PAGE_INSTEAD:
                return page(200, "This domain is being set up.")
            case Fault.NOT_JSON:
                return WireAnswer(200, [("content-type", "application/json")], b'{"access_token":')
            case Fault.NO_TOKEN:
                return json_answer(200, {"token_type": "Bearer", "expires_in": 3600})
            case Fault.SLOW:
                self._ended.wait()
        if _FORM not in ",".join(request.values("content-type")):
            return json_answer(400, {"error": "invalid_request"})
        try:
            client = self.pool.client(*_credentials(request, form))
            if path == "/oauth2/revoke":
                self.pool.revoke(client, form.get("token", ""))
                return WireAnswer(200, [], b"")
            return json_answer(200, self._granted(client, form))
        except PoolError as error:
            return json_answer(400, {"error": str(error)})

    def _granted(self, client: AppClient, form: dict[str, str]) -> dict[str, object]:
        match form.get("grant_type"):
            case "authorization_code":
                return self.pool.redeem(client, form)
            case "refresh_token":
                return self.pool.refresh(client, form)
            case "client_credentials":
                return self.pool.machine_token(client, form)
        raise PoolError("unsupported_grant_type")


@contextmanager
def fake_cognito(pool: Pool, people: Sequence[Person]) -> Iterator[FakeCognito]:
    """The domain of `pool`, where `people` can sign in, at a new port of 127.0.0.1; it ends with the block."""
    made: list[FakeCognito] = []
    pool.people |= {person.name: person for person in people}

    def respond(request: WireRequest) -> WireAnswer:
        return made[0].answer(request)

    with http_front(respond) as url:
        made.append(FakeCognito(url, pool))
        try:
            yield made[0]
        finally:
            made[0].end()


def _error_of(asked: dict[str, str], client: AppClient) -> str | None:
    if asked.get("response_type") != "code":
        return "unauthorized_client"
    if not set(asked.get("scope", "").split()) <= set(client.scopes):
        return "invalid_scope"
    return None if asked.get("code_challenge_method", "S256") == "S256" else "invalid_request"


def _credentials(request: WireRequest, form: dict[str, str]) -> tuple[str, str | None]:
    scheme, _, encoded = "".join(request.values("authorization")).partition(" ")
    if scheme.lower() != "basic":
        return form.get("client_id", ""), form.get("client_secret")
    try:
        client_id, _, secret = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeError):
        raise PoolError("invalid_client") from None
    if form.get("client_id", client_id) != client_id:
        raise PoolError("invalid_request")
    return client_id, secret


def _session_of(request: WireRequest) -> str:
    morsel = SimpleCookie("; ".join(request.values("cookie"))).get(_SESSION)
    return morsel.value if morsel else ""
