"""The endpoints of a sign-in by themselves, clients for them, and requests as browsers and programs send them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import parse_qsl, urlencode, urlsplit

from docshelf.gateway.messages import HttpRequest, HttpResponse
from docshelf.signin.authorize import Authorization
from docshelf.signin.callback import Callback
from docshelf.signin.clients import Client, Clients, UnknownClientError, registered_client
from docshelf.signin.cognito import Cognito
from docshelf.signin.decision import Decision
from docshelf.signin.pkce import s256
from docshelf.signin.sealing import Sealer, SealingKeys
from docshelf.signin.settings import SigninSettings

HOST = "docs.example.com"
ISSUER = f"https://{HOST}"
VERIFIER = "a.b~c-d_e" * 5
LOOPBACK = "http://localhost:58135/callback"
WEB = "https://claude.ai/api/mcp/auth_callback"
APP = "cursor://anysphere.cursor-mcp/oauth/callback"
DOCUMENT = "https://claude.ai/oauth/client-metadata"
KEYS = SealingKeys.generate()
ENVIRONMENT = {
    "DOCSHELF_URL": f"{ISSUER}/mcp",
    "DOCSHELF_COGNITO_URL": "https://pool.auth.eu-central-1.amazoncognito.com",
    "DOCSHELF_COGNITO_CLIENT_ID": "4example1client2id3docshelf",
    "DOCSHELF_SEALING_KEYS": KEYS.text(),
    "DOCSHELF_CONTACT": "it-help@example.com",
}


def settings(**changed: str | None) -> SigninSettings:
    """The settings of a server, with what `changed` says besides; a variable given as None is not set."""
    named = {f"DOCSHELF_{name.upper()}": value for name, value in changed.items()}
    given = {**ENVIRONMENT, **named}
    return SigninSettings.from_environment({name: value for name, value in given.items() if value is not None})


def asked(
    method: str,
    path: str,
    query: Mapping[str, str] | str = "",
    form: Mapping[str, str] | bytes | None = None,
    **headers: str | None,
) -> HttpRequest:
    """A request; a header given as None is left out."""
    body = form if isinstance(form, bytes) else urlencode(form or {}).encode()
    usual: dict[str, str | None] = {"host": HOST}
    if form is not None:
        usual["content-type"] = "application/x-www-form-urlencoded"
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    sent = {name: value for name, value in (usual | named).items() if value is not None}
    encoded = query if isinstance(query, str) else urlencode(query)
    return HttpRequest(method, path, encoded, sent, body, "192.0.2.1", "request-1")


@dataclass
class OneDocument:
    """Where one client has its document; `fault` is raised instead."""

    fault: Exception | None = None
    looks: int = 0

    def client(self, url: str) -> Client:
        """The client, if it is that one."""
        self.looks += 1
        if self.fault is not None:
            raise self.fault
        if url != DOCUMENT:
            raise UnknownClientError("There is no such document.")
        return Client(url, "Claude Code", ("http://localhost/callback", WEB), "claude.ai")


@dataclass
class Begun:
    """The endpoints that a browser comes to. `now` is the time of the seals."""

    settings: SigninSettings = field(default_factory=settings)
    documents: OneDocument = field(default_factory=OneDocument)
    now: float = 1_800_000_000.0

    def __post_init__(self) -> None:
        self.sealer = Sealer(KEYS, clock=lambda: self.now)
        self.clients = Clients(self.sealer, self.documents, self.settings.redirect_hosts)
        self.cognito = Cognito(self.settings)
        self.authorize = Authorization(self.settings, self.sealer, self.clients)
        self.decision = Decision(self.settings, self.sealer, self.cognito)
        self.callback = Callback(self.settings, self.sealer)

    def registered(self, *redirect_uris: str, name: str = "An editor") -> str:
        """The client_id of a client that registers itself."""
        return registered_client(name, redirect_uris or (LOOPBACK,), self.sealer, 3600).client_id

    def parameters(self, redirect_uri: str = LOOPBACK, **changed: str | None) -> dict[str, str]:
        """What a client that is registered sends to /authorize; a parameter given as None is left out."""
        usual: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.registered(redirect_uri),
            "redirect_uri": redirect_uri,
            "state": "the client's state",
            "code_challenge": s256(VERIFIER),
            "code_challenge_method": "S256",
            "resource": self.settings.url,
            "scope": self.settings.scope,
        }
        return {name: value for name, value in (usual | changed).items() if value is not None}

    def consent(self, redirect_uri: str = LOOPBACK, **changed: str | None) -> HttpResponse:
        """The consent page."""
        answer = self.authorize(asked("GET", "/authorize", self.parameters(redirect_uri, **changed)))
        assert answer.response.status == 200
        return answer.response

    def decide(
        self,
        page: HttpResponse,
        decision: str | None = "approve",
        form: Mapping[str, str] | None = None,
        **headers: str | None,
    ) -> HttpResponse:
        """The answer to the form of `page`, as a browser sends it that showed the page."""
        fields = {**fields_of(page), **({} if decision is None else {"decision": decision}), **(form or {})}
        sent: dict[str, str | None] = {
            "cookie": cookies_of(page),
            "origin": ISSUER,
            "sec_fetch_site": "same-origin",
            **headers,
        }
        return self.decision(asked("POST", "/authorize/decision", "", fields, **sent)).response

    def back(self, sent: HttpResponse, *, cookie: str | None = "", **parameters: str | None) -> HttpResponse:
        """The answer to what the pool sends back for the redirect `sent`; with `cookie` instead of its own."""
        query = {"code": "pool-code", "state": parameters_of(location(sent))["state"], **parameters}
        given = {name: value for name, value in query.items() if value is not None}
        browser = cookies_of(sent) if cookie == "" else cookie
        return self.callback(asked("GET", "/callback", given, cookie=browser)).response


def location(response: HttpResponse) -> str:
    """Where a redirect leads."""
    [found] = response.values("location")
    return found


def parameters_of(uri: str) -> dict[str, str]:
    """The parameters of an address, each of which is there once."""
    pairs = parse_qsl(urlsplit(uri).query, keep_blank_values=True, strict_parsing=True)
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def fields_of(page: HttpResponse) -> dict[str, str]:
    """The hidden fields of a page's form."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.body.decode())
    return {name: unescape(value) for name, value in found}


def cookies_of(response: HttpResponse) -> str:
    """What a browser sends that kept the answer's cookies."""
    return "; ".join(value.partition(";")[0] for value in response.values("set-cookie"))


def text_of(page: HttpResponse) -> str:
    """A page as text, for a look at its words."""
    return unescape(page.body.decode())
