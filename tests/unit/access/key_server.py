"""An address of this machine that answers every request with the bytes that a test gives it."""

from __future__ import annotations

import socketserver
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class KeyServer:
    """`paths` holds what was asked for; set `released` to let a server that holds its answer go on."""

    url: str = ""
    paths: list[str] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)


def answer(body: bytes, *, status: str = "200 OK", headers: str = "") -> bytes:
    """A whole HTTP answer."""
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body


@contextmanager
def key_server(
    respond: Callable[[KeyServer], Iterator[bytes]], *, tls: ssl.SSLContext | None = None
) -> Iterator[KeyServer]:
    """A server that sends what `respond` yields, piece by piece, and then closes the connection."""
    server = KeyServer()

    class Handler(socketserver.StreamRequestHandler):
        def setup(self) -> None:
            if tls is not None:
                self.request = tls.wrap_socket(self.request, server_side=True)
            super().setup()

        def finish(self) -> None:
            super().finish()
            self.request.close()

        def handle(self) -> None:
            server.paths.append(self.rfile.readline().split(b" ")[1].decode())
            while self.rfile.readline() not in {b"\r\n", b""}:
                pass
            try:
                for piece in respond(server):
                    self.wfile.write(piece)
            except ConnectionError:
                return  # the client has gone, as it should

    class Server(socketserver.ThreadingTCPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            # A client that breaks off the handshake is what a test waits for, and no news.
            if not isinstance(sys.exception(), OSError):
                super().handle_error(request, client_address)

    with Server(("127.0.0.1", 0), Handler) as listening:
        server.url = (
            f"{'https' if tls else 'http'}://127.0.0.1:{listening.server_address[1]}/pool/.well-known/jwks.json"
        )
        threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield server
        finally:
            server.released.set()
            listening.shutdown()
