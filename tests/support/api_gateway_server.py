"""The HTTP/1.1 side of a front on this machine: connections that are kept, and limits on what comes in."""

from __future__ import annotations

import json
import secrets
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_HEAD_BYTES = 10_240
MAX_BODY_BYTES = 10 << 20


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request as it came in; `target` is still encoded, `headers` as they were sent, in their order."""

    method: str
    target: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    client: str

    def values(self, name: str) -> list[str]:
        """The values of the header `name`, in whatever case it was sent."""
        return [value for key, value in self.headers if key.lower() == name]


@dataclass(frozen=True, slots=True)
class WireAnswer:
    """An answer as it goes out."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes


@contextmanager
def http_front(respond: Callable[[WireRequest], WireAnswer]) -> Iterator[str]:
    """The address of a server that answers by `respond`, called in a thread a connection; it ends with the block."""
    server = _Server(respond)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        server.end_connections()


def own_answer(status: int, message: str) -> WireAnswer:
    """An answer that does not come from the function."""
    body = json.dumps({"message": message}, separators=(",", ":")).encode()
    return WireAnswer(status, [("content-type", "application/json")], body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, respond: Callable[[WireRequest], WireAnswer]) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.respond = respond
        self._lock, self._connections = threading.Lock(), set[socket.socket]()

    def process_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """Remember the connection, which a client keeps for its next request."""
        assert isinstance(request, socket.socket)
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        """Forget the connection and end it."""
        assert isinstance(request, socket.socket)
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def end_connections(self) -> None:
        """End what clients keep open."""
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):  # the client was first
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that has gone."""
        if not isinstance(sys.exception(), ConnectionError):
            traceback.print_exc()


class _Connection(BaseHTTPRequestHandler):
    """The requests of one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def _serve(self) -> None:
        head = len(self.requestline) + 2 + sum(len(name) + len(value) + 4 for name, value in self.headers.items())
        body = self._body()  # read also where it is refused: a client that still sends would lose the answer
        if head > MAX_HEAD_BYTES:
            self._send(own_answer(431, "Request Header Fields Too Large"))
        elif body is None:
            self._send(own_answer(413, "Request Entity Too Large"))
        else:
            headers = [(name, value.strip()) for name, value in self.headers.items()]
            self._send(self.server.respond(WireRequest(self.command, self.path, headers, body, self.client_address[0])))

    # The names that are called.
    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _serve  # noqa: N815

    def _body(self) -> bytes | None:
        """The body, read to its end; None where it is too large."""
        if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            return body if len(body) <= MAX_BODY_BYTES else None
        chunks = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass  # a trailer
        body = b"".join(chunks)
        return body if len(body) <= MAX_BODY_BYTES else None

    def _send(self, answer: WireAnswer) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        self.send_header("Date", self.date_time_string())
        self.send_header("Apigw-Requestid", secrets.token_urlsafe(11) + "=")
        self.send_header("Connection", "close" if self.close_connection else "keep-alive")
        bodiless = answer.status in (204, 304)
        if not bodiless:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if not bodiless and self.command != "HEAD":
            self.wfile.write(answer.body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
