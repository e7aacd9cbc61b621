"""A server on this machine that answers, with TLS or without, in the name of a host on the internet."""

from __future__ import annotations

import socket
import socketserver
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

HOST = "client.example.com"
PUBLIC_ADDRESS = "93.184.216.34"


@dataclass
class DocumentServer:
    """`requests` are the heads of what was asked, `names` those that TLS was begun for.

    Set `released` to let a server that holds its answer go on.
    """

    port: int = 0
    requests: list[str] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)
    connections: list[tuple[str, int]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def connect(self, address: str, port: int, seconds: float) -> socket.socket:
        """A connection to this server, whatever address it is meant for, which `connections` remembers."""
        self.connections.append((address, port))
        return socket.create_connection(("127.0.0.1", self.port), seconds)


def answer(body: bytes, *, status: str = "200 OK", headers: str = "Content-Type: application/json\r\n") -> bytes:
    """A whole HTTP answer."""
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body


def certificate(folder: Path, host: str = HOST) -> Path:
    """A file with a certificate for `host` that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "docshelf tests")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, SHA256())
    )
    file = folder / f"{host}.pem"
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(made.public_bytes(Encoding.PEM) + secret)
    return file


@contextmanager
def document_server(
    respond: Callable[[DocumentServer], Iterator[bytes]], *, certificate_file: Path | None = None
) -> Iterator[DocumentServer]:
    """A server that sends what `respond` yields, piece by piece, and then closes the connection."""
    server = DocumentServer()
    tls = _context(server, certificate_file) if certificate_file else None

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


def _context(server: DocumentServer, file: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    context.sni_callback = lambda _, name, __: server.names.append(name)
    return context
