"""Client ID metadata documents on web sites of others, as this machine can have them: by TLS, under their own names.

The documents say what is publicly known of them; those that a client's maker publishes cannot be fetched by tests.
"""

from __future__ import annotations

import datetime
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from docshelf.signin.public_fetch import Fetched, PublicFetch

_PUBLIC_ADDRESS = "1.2.3.4"
_PORT = 443
_DAY = datetime.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Published:
    """A document, by the address that is the client's id."""

    url: str
    name: str
    redirect_uris: tuple[str, ...]

    @property
    def body(self) -> bytes:
        """What is at the address."""
        content = {
            "client_id": self.url,
            "client_name": self.name,
            "redirect_uris": list(self.redirect_uris),
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }
        return json.dumps(content).encode()


CLAUDE_CODE = Published(
    "https://claude.ai/oauth/claude-code-client-metadata",
    "Claude Code",
    ("http://localhost/callback", "http://127.0.0.1/callback"),
)
CLAUDE_AI = Published(
    "https://claude.ai/oauth/mcp-oauth-client-metadata", "Claude", ("https://claude.ai/api/mcp/auth_callback",)
)
CODEX = Published("https://chatgpt.com/oauth/codex/client.json", "Codex", ("http://127.0.0.1/callback",))
VS_CODE = Published(
    "https://vscode.dev/oauth/client-metadata.json",
    "Visual Studio Code",
    (
        "http://127.0.0.1:33418/",
        "http://127.0.0.1/",
        "https://vscode.dev/redirect",
        "https://insiders.vscode.dev/redirect",
    ),
)
DOCUMENTS = (CLAUDE_CODE, CLAUDE_AI, CODEX, VS_CODE)


@contextmanager
def published_documents(directory: Path) -> Iterator[Callable[[str], Fetched]]:
    """What fetches `DOCUMENTS` by the rules for the public internet, until the end of the block.

    The certificates that this process trusts are replaced; the one of the web sites goes to `directory`.
    """
    bodies = {document.url: document.body for document in DOCUMENTS}
    certificate = directory / "documents.pem"
    trusted = _certify(sorted({str(urlsplit(url).hostname) for url in bodies}), certificate)
    server = _Server(bodies)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def connect(_: str, port: int, seconds: float) -> socket.socket:
        assert port == _PORT
        return socket.create_connection(("127.0.0.1", server.server_port), seconds)

    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SSL_CERT_FILE", str(trusted))
            yield PublicFetch(resolve=lambda _host, _port: [_PUBLIC_ADDRESS], connect=connect)
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, bodies: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies = bodies


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        body = self.server.bodies.get(f"https://{self.headers['Host']}{self.path}")
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
        """Say nothing."""


def _certify(hosts: list[str], certificate: Path) -> Path:
    """Write a certificate of `hosts`, with its key; the file with the authority that gave it."""
    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority = _signed("Authority of the tests", authority_key, "Authority of the tests", authority_key, [])
    of_hosts = _signed(hosts[0], key, "Authority of the tests", authority_key, hosts)
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    certificate.write_bytes(private + of_hosts.public_bytes(pem))
    trusted = certificate.with_suffix(".authority.pem")
    trusted.write_bytes(authority.public_bytes(pem))
    return trusted


def _signed(
    name: str, key: ec.EllipticCurvePrivateKey, by: str, by_key: ec.EllipticCurvePrivateKey, hosts: list[str]
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    usage = dict.fromkeys(
        ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "encipher_only",
         "decipher_only"), False,
    )  # fmt: skip
    builder = (
        x509.CertificateBuilder()
        .subject_name(_named(name))
        .issuer_name(_named(by))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _DAY)
        .not_valid_after(now + _DAY)
        .add_extension(x509.BasicConstraints(ca=not hosts, path_length=None), critical=True)
        .add_extension(
            x509.KeyUsage(digital_signature=bool(hosts), key_cert_sign=not hosts, crl_sign=not hosts, **usage), True
        )
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(by_key.public_key()), critical=False)
    )
    if hosts:
        names = x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts])
        builder = builder.add_extension(names, critical=False).add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False
        )
    return builder.sign(by_key, hashes.SHA256())


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
