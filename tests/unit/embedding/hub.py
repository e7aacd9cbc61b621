"""A model hub on the loopback interface that can be told to misbehave."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Gives each request to the next answer of the script; the last answer serves all that follow."""

    hub: Hub

    def do_GET(self) -> None:
        """Answer a request."""
        self.hub.requests.append((self.path, self.headers.get("Range")))
        answer = self.hub.script.pop(0) if len(self.hub.script) > 1 else self.hub.script[0]
        answer(self)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is the standard library's
        """Say nothing."""

    def reply(self, status: int, body: bytes, headers: dict[str, str] | None = None, cut: int | None = None) -> None:
        """Send `body`, or only its first `cut` bytes of the promised length."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[:cut])


class Hub:
    """The server's address, its script of answers, and what it was asked: (path, Range header)."""

    def __init__(self, *script: Answer) -> None:
        self.script = list(script)
        self.requests: list[tuple[str, str | None]] = []
        self.address = ""


@contextmanager
def serving(*script: Answer) -> Iterator[Hub]:
    """Run a hub with these answers."""
    hub = Hub(*script)
    handler = type("BoundHandler", (Handler,), {"hub": hub})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        hub.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join()


def whole(content: bytes) -> Answer:
    """Serve the content, and the range that is asked for."""

    def answer(handler: Handler) -> None:
        asked = handler.headers.get("Range")
        if asked is None:
            handler.reply(200, content)
            return
        start = int(asked.removeprefix("bytes=").removesuffix("-"))
        place = f"bytes {start}-{len(content) - 1}/{len(content)}"
        handler.reply(206, content[start:], {"Content-Range": place})

    return answer


def broken_off(content: bytes, after: int) -> Answer:
    """Promise all of the content and close the connection after some bytes."""
    return lambda handler: handler.reply(200, content, cut=after)


def ignoring_ranges(content: bytes) -> Answer:
    """Serve the whole content whatever is asked for."""
    return lambda handler: handler.reply(200, content)


def another_range(content: bytes) -> Answer:
    """Claim to serve a range that was not asked for."""
    return lambda handler: handler.reply(
        206, content[1:], {"Content-Range": f"bytes 1-{len(content) - 1}/{len(content)}"}
    )


def status(code: int) -> Answer:
    """Serve no file."""
    return lambda handler: handler.reply(code, b"no")


def redirect(to: str) -> Answer:
    """Send the client elsewhere."""
    return lambda handler: handler.reply(302, b"", {"Location": to})
