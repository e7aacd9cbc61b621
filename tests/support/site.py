"""A web site of a test's own, on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.api_gateway_server import WireAnswer, WireRequest, http_front


class Site:
    """Pages by path; `seen` has the requests. It is at two hosts: `here` is localhost, `other` is 127.0.0.1."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[int, list[tuple[str, str]], str]] = {}
        self.seen: list[WireRequest] = []
        self.here = self.other = ""

    def answer(self, request: WireRequest) -> WireAnswer:
        """The page at the request's path, or a page that says "done"."""
        self.seen.append(request)
        status, headers, body = self.pages.get(request.target.partition("?")[0], (200, [], "done"))
        return WireAnswer(status, headers, body.encode())

    def sends(self, path: str, to: str, *headers: tuple[str, str]) -> None:
        """Redirect from `path`."""
        self.pages[path] = (302, [("location", to), *headers], "")

    def describes(self, path: str, *redirect_uris: str, **changes: object) -> str:
        """Have a client ID metadata document at `path`, with `changes`; the answer is the client_id that it has."""
        client_id = f"{self.here}{path}"
        document = {
            "client_id": client_id,
            "client_name": "Client with a document",
            "redirect_uris": list(redirect_uris),
            "token_endpoint_auth_method": "none",
            **changes,
        }
        self.pages[path] = (200, [("content-type", "application/json")], json.dumps(document))
        return client_id

    def last(self, name: str) -> str:
        """The header `name` of the last request."""
        return ", ".join(self.seen[-1].values(name))


@contextmanager
def new_site() -> Iterator[Site]:
    """A site at a new port, until the end of the block."""
    made = Site()
    with http_front(made.answer) as url:
        made.here, made.other = url.replace("127.0.0.1", "localhost"), url
        yield made
