"""Requests as the gateway hands them over, and settings that fit the tokens of the tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from docshelf.access.keys import KeySource
from docshelf.access.tokens import TokenVerifier
from docshelf.gateway.messages import HttpRequest, HttpResponse
from docshelf.serving.answers import Answer
from docshelf.serving.doors import Doors
from docshelf.settings import SearchSettings
from tests.support.tokens import TokenIssuer

APP = "https://app.example.com"
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@dataclass(frozen=True)
class Entrance:
    """The doors of a server, and who gives tokens for it."""

    issuer: TokenIssuer
    doors: Doors

    def request(self, method: str = "POST", path: str = "/mcp", **headers: str | None) -> HttpRequest:
        """A request that passes, with a token that is good; a header given as None is left out."""
        usual: dict[str, str | None] = {"host": "docs.example.com", "authorization": f"Bearer {self.issuer.issue()}"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {name: value for name, value in (usual | JSON | named).items() if value is not None}
        return HttpRequest(method, path, "", given, b"{}", "192.0.2.1", "request-1")

    def answer(self, request: HttpRequest) -> HttpResponse:
        """What the doors answer to a request that does not pass."""
        admitted = self.doors.admit(request)
        assert isinstance(admitted, Answer)
        return self.doors.finished(request, admitted.response)


@contextmanager
def entrance(**changed: object) -> Iterator[Entrance]:
    """Doors by these settings, besides those that are needed."""
    with TokenIssuer() as issuer:
        read = SearchSettings.from_environment({"DOCSHELF_INDEX": "s3://index", **issuer.environment})
        settings = replace(read, **changed)  # type: ignore[arg-type]
        verifier = TokenVerifier(
            issuer=issuer.issuer,
            keys=KeySource(issuer.keys_url),
            audience=settings.url,
            client_ids=settings.client_ids,
            scope=settings.scope,
        )
        yield Entrance(issuer, Doors(settings, verifier))


def message(method: str, params: dict[str, object] | None = None, *, modern: bool = False) -> HttpRequest:
    """A JSON-RPC request as a client of either era sends it."""
    headers = dict(JSON)
    sent = dict(params or {})
    if modern:
        sent["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers |= {"mcp-protocol-version": "2026-07-28", "mcp-method": method}
        if "name" in sent:
            headers["mcp-name"] = str(sent["name"])
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": sent}).encode()
    return HttpRequest("POST", "/mcp", "", headers, body, "192.0.2.1", "request-1")


def header(response: HttpResponse, name: str) -> str | None:
    """The one value of a header, None without it."""
    values = response.values(name)
    assert len(values) < 2
    return values[0] if values else None
