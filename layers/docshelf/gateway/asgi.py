"""One request through an ASGI application, without a server."""

from __future__ import annotations

import asyncio
import string
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Literal
from urllib.parse import quote

from docshelf.errors import DocshelfError
from docshelf.gateway.messages import HttpRequest, HttpResponse

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

_PORTS = {"http": 80, "https": 443}
_HTTP_STATUS = "http.response.start"
_HTTP_BODY = "http.response.body"


async def call(
    application: Application, request: HttpRequest, *, host_scheme: Literal["http", "https"] = "https"
) -> HttpResponse:
    """The answer of `application` to `request`, which clients sent by `host_scheme`; what it raises is raised here.

    To the application the client stays until it has its answer. An application that never answers is never left: give
    the call a limit of time.

    Raises:
        DocshelfError: the application ended without a whole answer.
    """
    exchange = _Exchange(request.body)
    await application(_scope(request, host_scheme), exchange.receive, exchange.send)
    return exchange.response()


class _Exchange:
    """The two channels between the application and the client of one request."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self._start: Message | None = None
        self._parts: list[bytes] = []
        self._answered = asyncio.Event()

    async def receive(self) -> Message:
        """The body, whole and once; after that nothing before the answer is complete, when the client goes."""
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._answered.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """A piece of the answer; pieces after the last one are dropped."""
        if message["type"] == _HTTP_STATUS and self._start is None:
            self._start = message
        elif message["type"] == _HTTP_BODY and self._start is not None and not self._answered.is_set():
            self._parts.append(bytes(message.get("body", b"")))
            if not message.get("more_body", False):
                self._answered.set()

    def response(self) -> HttpResponse:
        """The answer."""
        if self._start is None or not self._answered.is_set():
            raise DocshelfError("The application ended before it had answered: see its log.")
        headers = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in self._start.get("headers", ()))
        return HttpResponse(self._start["status"], tuple(headers), b"".join(self._parts))


def _scope(request: HttpRequest, scheme: str) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": scheme,
        "path": request.path,
        "raw_path": quote(request.path, errors="replace").encode(),
        "root_path": "",
        "query_string": quote(request.query, safe=string.punctuation, errors="replace").encode(),
        "headers": [(_bytes(name), _bytes(value)) for name, value in request.headers.items()],
        "client": (request.source_ip, 0) if request.source_ip else None,
        "server": (request.headers.get("host", ""), _PORTS[scheme]),
    }


def _bytes(text: str) -> bytes:
    # What HTTP cannot carry was not in the request as it was sent.
    return text.encode("latin-1", "replace")
