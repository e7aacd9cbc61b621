"""A server on this machine that answers every request with the bytes that a test gives it, with TLS or without."""

from __future__ import annotations

import socket
import socketserver
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class ScriptedServer:
    """`requests` are the heads of what was asked, `names` those that TLS was begun for.

    Set `released` to let a server that holds its answer go on.
    """

    port: int = 0
    scheme: str = "http"
    requests: list[str] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)
    connections: list[tuple[str, int]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """The address of a document, by its address in numbers."""
        return f"{self.scheme}://127.0.0.1:{self.port}/document.json"

    @property
    def paths(self) -> list[str]:
        """What was asked for."""
        return [head.split(" ")[1] for head in self.requests]

    def connect(self, address: str, port: int, seconds: float) -> socket.socket:
        """A connection to this server, whatever address it is meant for, which `connections` remembers."""
        self.connections.append((address, port))
        return socket.create_connection(("127.0.0.1", self.port), seconds)


def answer(body: bytes, *, status: str = "200 OK", headers: str = "Content-Type: application/json\r\n") -> bytes:
    """A whole HTTP answer."""
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body


@contextmanager
def scripted_server(
    respond: Callable[[ScriptedServer], Iterator[bytes]], *, tls: ssl.SSLContext | None = None
) -> Iterator[ScriptedServer]:
    """A server that sends what `respond` yields, piece by piece, and then closes the connection."""
    server = ScriptedServer(scheme="https" if tls else "http")
    if tls is not None:
        tls.sni_callback = lambda _, name, __: server.names.append(name)

    class Handler(socketserver.StreamRequestHandler):
        def setup(self) -> None:
            if tls is not None:
                self.request = tls.wrap_socket(self.request, server_side=True)
            super().setup()

        def finish(self) -> None:
            super().finish()
            self.request.close()

        def handle(self) -> None:
            lines = []
            while (line := self.rfile.readline()) not in {b"\r\n", b""}:
                lines.append(line)
            server.requests.append(b"".join(lines).decode("latin-1"))
            try:
                for piece in respond(server):
                    self.wfile.write(piece)
            except (ConnectionError, ssl.SSLError):
                return  # the client has gone, as it should

    class Server(socketserver.ThreadingTCPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            # A client that breaks off the handshake is what a test waits for, and no news.
            if not isinstance(sys.exception(), OSError):
                super().handle_error(request, client_address)

    with Server(("127.0.0.1", 0), Handler) as listening:
        server.port = listening.server_address[1]
        threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield server
        finally:
            server.released.set()
            listening.shutdown()
