"""A client of our sign-in as a program writes one: it registers, sends a person to the browser, and asks for tokens."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2

from tests.support.browser import Browser, Page
from tests.support.cognito_pool import Person, s256

LOOPBACK = "http://localhost:58135/callback"
WEB = "https://claude.ai/api/mcp/auth_callback"
APP = "cursor://anysphere.cursor-mcp/oauth/callback"
REDIRECTS = {"loopback": LOOPBACK, "IPv6": "http://[::1]:8080/cb", "web": WEB, "app": APP}
"""One address of each kind that answers are sent to."""

ALLOW, DENY, LOG_IN = "^Continue to sign-in$", "^Cancel$", "^Sign in$"
"""What the buttons say: of our consent page, and of the pool's login page."""


def post(url: str, form: Mapping[str, str] | Sequence[tuple[str, str]], **headers: str) -> httpx2.Response:
    """The answer to a form that a program sends."""
    sent = {"Content-Type": "application/x-www-form-urlencoded", **headers}
    return httpx2.post(url, content=urlencode(form), headers=sent, timeout=40)


def register(origin: str, *redirect_uris: str, name: str = "Test client", **changes: Any) -> httpx2.Response:
    """The answer to a registration, whose fields are those that clients usually send, and `changes`."""
    body = {
        "client_name": name,
        "redirect_uris": list(redirect_uris),
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        **changes,
    }
    return httpx2.post(f"{origin}/register", json=body, timeout=40)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One sign-in that a client has begun at `url`."""

    url: str
    state: str
    verifier: str
    redirect_uri: str


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """A public client with one redirect URI, of the server at `origin`."""

    origin: str
    client_id: str
    redirect_uri: str
    scope: str | None = "docs:read"
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def registered(cls, origin: str, redirect_uri: str = LOOPBACK, *, name: str = "Test client") -> OAuthClient:
        """A client that has just registered itself."""
        answer = register(origin, redirect_uri, name=name)
        assert answer.status_code == 201, answer.text
        return cls(origin, answer.json()["client_id"], redirect_uri)

    @property
    def resource(self) -> str:
        """What it wants to use."""
        return f"{self.origin}/mcp"

    def begin(self, **changes: str | None) -> Attempt:
        """A new sign-in. `changes` replace parameters of the request; None leaves one out."""
        verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        usual = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "code_challenge": s256(verifier),
            "code_challenge_method": "S256",
            "state": state,
            "scope": self.scope,
            "resource": self.resource,
        }
        parameters = {name: value for name, value in (usual | changes).items() if value is not None}
        url = f"{self.origin}/authorize?{urlencode(parameters)}"
        return Attempt(url, parameters.get("state", ""), verifier, parameters.get("redirect_uri", ""))

    def answer(self, attempt: Attempt, page: Page) -> dict[str, str]:
        """The parameters that the browser brings to the client. They must be those of `attempt` and of this server."""
        url = link_to_app(page) if urlsplit(self.redirect_uri).scheme not in ("http", "https") else page.url
        assert url.startswith(attempt.redirect_uri), url.partition("?")[0]
        found = Page(url, 0).query
        assert found.pop("iss") == self.origin
        assert found.pop("state", "") == attempt.state
        return found

    def redeem(self, attempt: Attempt, given: str, /, **changes: str | None) -> httpx2.Response:
        """Ask for the tokens of the code that was `given`."""
        usual = {
            "grant_type": "authorization_code",
            "code": given,
            "redirect_uri": attempt.redirect_uri,
            "client_id": self.client_id,
            "code_verifier": attempt.verifier,
            "resource": self.resource,
        }
        return self._post("token", usual | changes)

    def refresh(self, token: str, **changes: str | None) -> httpx2.Response:
        """Ask for new tokens."""
        usual = {"grant_type": "refresh_token", "refresh_token": token, "client_id": self.client_id}
        return self._post("token", {**usual, "resource": self.resource, **changes})

    def revoke(self, token: str, **changes: str | None) -> httpx2.Response:
        """Give a refresh token back."""
        return self._post("revoke", {"token": token, "client_id": self.client_id, **changes})

    def sign_in(self, browser: Browser, person: Person) -> dict[str, Any]:
        """Everything from the consent page to the tokens."""
        attempt = self.begin()
        answer = self.redeem(attempt, self.answer(attempt, approve(browser, attempt, person))["code"])
        assert answer.status_code == 200, answer.text
        tokens: dict[str, Any] = answer.json()
        return tokens

    def _post(self, path: str, form: Mapping[str, str | None]) -> httpx2.Response:
        kept = {name: value for name, value in form.items() if value is not None}
        return post(f"{self.origin}/{path}", kept, **self.headers)


def approve(browser: Browser, attempt: Attempt, person: Person) -> Page:
    """Where `person` ends who opens the sign-in, allows it, and logs in where asked."""
    return log_in(browser, browser.press(browser.open(attempt.url), ALLOW), person)


def log_in(browser: Browser, page: Page, person: Person) -> Page:
    """Where `person` ends who is at the pool's login page, or the same page for somebody whom the pool remembers."""
    if urlsplit(page.url).path != "/login":
        return page
    return browser.press(page, LOG_IN, username=person.name, password=person.password)


def link_to_app(page: Page) -> str:
    """The one link of a hand-off page."""
    assert page.status == 200, page.words
    links = [link for link in page.links if urlsplit(link).scheme not in ("http", "https")]
    assert len(set(links)) == 1, links
    return links[0]


def error_of(answer: httpx2.Response) -> tuple[int, str]:
    """The status and the code of a refusal, whose form must be that of RFC 6749."""
    body = answer.json()
    assert body.keys() <= {"error", "error_description"}
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    description = body["error_description"]
    assert description.isascii()
    assert description.isprintable()
    assert not set('"\\') & set(description)
    return answer.status_code, body["error"]


def parameters_of(url: str) -> list[tuple[str, str]]:
    """The parameters of an address, in their order and as often as they are there."""
    return parse_qsl(urlsplit(url).query, keep_blank_values=True)
