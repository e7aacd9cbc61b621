"""A small web server for pages: it gives them out as they are and remembers the forms that come back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

from docshelf.gateway.messages import HttpResponse


@dataclass(frozen=True, slots=True)
class SentForm:
    """A form as it came: path, the headers with names in lower case, and the fields."""

    path: str
    headers: dict[str, str]
    fields: dict[str, str]


@dataclass(slots=True)
class PageServer:
    """The answers by path, with or without a query, and the forms so far. Whatever has no answer is not found."""

    port: int
    answers: dict[str, HttpResponse] = field(default_factory=dict)
    forms: list[SentForm] = field(default_factory=list)

    def url(self, path: str, host: str = "localhost") -> str:
        """The address of a path."""
        return f"http://{host}:{self.port}{path}"

    def give(self, path: str, html: str) -> None:
        """Answer a path with a document that no header guards."""
        self.answers[path] = HttpResponse(200, (("Content-Type", "text/html; charset=utf-8"),), html.encode())

    def redirect(self, path: str, location: str) -> None:
        """Answer a path with a redirect."""
        self.answers[path] = HttpResponse(302, (("Location", location),))


@contextmanager
def page_server() -> Iterator[PageServer]:
    """A server on the loopback interface, under `localhost` and `127.0.0.1`."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as http:
        http.daemon_threads = True
        pages = PageServer(http.server_port)
        http.pages = pages  # type: ignore[attr-defined]
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield pages
        finally:
            http.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        pages: PageServer = self.server.pages  # type: ignore[attr-defined]
        answer = pages.answers.get(self.path.partition("?")[0], HttpResponse(404, ()))
        self.send_response(answer.status)
        for name, value in (*answer.headers, ("Content-Length", str(len(answer.body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def do_POST(self) -> None:
        pages: PageServer = self.server.pages  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        pages.forms.append(SentForm(self.path, headers, dict(parse_qsl(body.decode(), keep_blank_values=True))))
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""
