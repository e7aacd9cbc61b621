"""What anybody may ask: the health, the refusal without a token, and how to sign in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import httpx2

from infra.deployment.smoke.steps import StepError

_CHALLENGE = "www-authenticate"
_OTHERWISE = (
    "clients find the sign-in at the well-known addresses; the setting api.restore_challenge may bring the header back"
)
_SECONDS = 35.0
_RESOURCE = ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp")
_SERVER = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "registration_endpoint")
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "docshelf-smoke", "version": "1"},
    },
}


@dataclass(frozen=True, slots=True)
class FrontDoor:
    """The server at `origin`, whose MCP endpoint is `url`. Every method gives a sentence or raises StepError."""

    origin: str
    url: str

    def health(self) -> str:
        """The search function answers."""
        answer = _asked("GET", f"{self.origin}/healthz")
        _expect(answer, 200, "the log of the search function says why it does not start or answer")
        return f"GET {self.origin}/healthz answers"

    def challenge(self) -> str:
        """A request without a token is refused; how the header arrives that says where to sign in."""
        answer = _asked("POST", self.url, json=_INITIALIZE)
        _expect(answer, 401, "the endpoint must refuse who has no token, else its documents are open")
        arrived = [name for name in answer.headers if name.endswith(_CHALLENGE)]
        if not arrived:
            return f"401 without WWW-Authenticate under any name: {_OTHERWISE}"
        pointing = self._pointing(answer.headers[arrived[0]])
        if _CHALLENGE in arrived:
            return f"401, and WWW-Authenticate arrives{pointing}"
        return f"401, and WWW-Authenticate arrives as {arrived[0]}{pointing}: {_OTHERWISE}"

    def refusal(self) -> str:
        """A made-up token is refused."""
        answer = _asked("POST", self.url, json=_INITIALIZE, headers={"Authorization": "Bearer not.a.token"})
        _expect(answer, 401, "the endpoint must refuse a token that is none")
        return "a made-up token is refused"

    def metadata(self) -> str:
        """Both forms of both documents that clients find the sign-in by."""
        for path in _RESOURCE:
            document = self._document(path)
            self._same(path, document, "resource", self.url)
            self._same(path, document, "authorization_servers", [self.origin])
        for path in _SERVER:
            document = self._document(path)
            self._same(path, document, "issuer", self.origin)
            for name in _ENDPOINTS:
                if not str(document.get(name)).startswith(f"{self.origin}/"):
                    raise StepError(f"{path} names {document.get(name)!r} as {name}, which is not at {self.origin}.")
        return "the four well-known documents name this address and its sign-in"

    def _pointing(self, value: str) -> str:
        named = any(f'resource_metadata="{self.origin}{path}"' in value for path in _RESOURCE)
        return ", naming the metadata" if named else ", but does not name the metadata of this address"

    def _document(self, path: str) -> dict[str, Any]:
        answer = _asked("GET", f"{self.origin}{path}")
        _expect(answer, 200, "without it clients do not find the sign-in; see the log of the sign-in function")
        try:
            document = json.loads(answer.content)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise StepError(f"{path} is no JSON object.")
        return document

    def _same(self, path: str, document: dict[str, Any], name: str, wanted: object) -> None:
        if document.get(name) != wanted:
            raise StepError(
                f"{path} has {document.get(name)!r} as {name}, and {wanted!r} is expected: DOCSHELF_URL of the sign-in "
                "function must be the address that clients use."
            )


def _asked(method: str, url: str, **more: Any) -> httpx2.Response:
    try:
        return httpx2.request(method, url, timeout=_SECONDS, **more)
    except httpx2.HTTPError as error:
        raise StepError(
            f"{url} does not answer ({type(error).__name__}): check the network, and that the name of a domain of your "
            "own leads to the API."
        ) from error


def _expect(answer: httpx2.Response, status: int, otherwise: str) -> None:
    if answer.status_code != status:
        raise StepError(
            f"{answer.request.method} {answer.request.url} answers {answer.status_code} and not {status}: {otherwise}."
        )
