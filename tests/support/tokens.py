"""A user pool's stand-in: an RSA key, its key set at an address of this machine, and access tokens signed with it."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Collection, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from jwt.api_jws import PyJWS

POOL = "eu-central-1_Docshelf1"
ISSUER = f"https://cognito-idp.eu-central-1.amazonaws.com/{POOL}"
AUDIENCE = "https://docs.example.com/mcp"
CLIENT_ID = "4example1client2id3docshelf"
SCOPE = "docs:read"
LIFETIME_SECONDS = 3600


class TokenIssuer:
    """Issues tokens as Cognito does, and serves their keys while its block lasts.

    `requests` counts how often the key set was asked for. Give `environment` to the function under test.
    """

    def __init__(self, *, audience: str = AUDIENCE, client_id: str = CLIENT_ID, scope: str = SCOPE) -> None:
        self.issuer = ISSUER
        self.audience = audience
        self.client_id = client_id
        self.scope = scope
        self.requests = 0
        self.keys: dict[str, rsa.RSAPrivateKey] = {}
        self.kid = ""
        self.rotate()
        self._server = _KeySetServer(self)

    @property
    def keys_url(self) -> str:
        """Where the key set is, as `http://127.0.0.1:PORT/POOL/.well-known/jwks.json`."""
        return f"http://127.0.0.1:{self._server.server_port}/{POOL}/.well-known/jwks.json"

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which a search function takes the tokens of this issuer."""
        return {
            "DOCSHELF_URL": self.audience,
            "DOCSHELF_TOKEN_ISSUER": self.issuer,
            "DOCSHELF_TOKEN_KEYS_URL": self.keys_url,
            "DOCSHELF_CLIENT_IDS": self.client_id,
            "DOCSHELF_SCOPE": self.scope,
        }

    @property
    def key(self) -> rsa.RSAPrivateKey:
        """The key that signs now."""
        return self.keys[self.kid]

    @property
    def key_set(self) -> dict[str, Any]:
        """The public halves of all keys, as they are served."""
        return {"keys": [public_jwk(key, kid) for kid, key in self.keys.items()]}

    def rotate(self) -> str:
        """Sign with a new key from now on; earlier ones stay in the key set. The answer is the new key's id."""
        self.kid = uuid.uuid4().hex
        self.keys[self.kid] = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        return self.kid

    def claims(
        self, *, groups: Sequence[str] | None = None, without: Collection[str] = (), **claims: Any
    ) -> dict[str, Any]:
        """The claims of a token for a person who has just signed in, with what `claims` changes."""
        now = int(time.time())
        subject = "0a1b2c3d-0000-4000-8000-00000000000a"
        usual = {
            "sub": subject,
            "iss": self.issuer,
            "client_id": self.client_id,
            "token_use": "access",
            "scope": f"{self.audience}/{self.scope}",
            "auth_time": now,
            "iat": now,
            "exp": now + LIFETIME_SECONDS,
            "jti": str(uuid.uuid4()),
            "username": subject,
            **({} if groups is None else {"cognito:groups": list(groups)}),
            **claims,
        }
        return {name: value for name, value in usual.items() if name not in without}

    def issue(
        self,
        *,
        groups: Sequence[str] | None = None,
        without: Collection[str] = (),
        header: Mapping[str, Any] | None = None,
        **claims: Any,
    ) -> str:
        """A signed access token (without "Bearer").

        `groups` become `cognito:groups`, `without` names claims to leave out, `header` adds to the token's header, and
        every other argument is a claim that replaces the usual one, such as `sub="…"`, `aud="…"` or `exp=…`.
        """
        # Not by the function for whole tokens, which refuses to write what a test wants to see refused when read.
        payload = json.dumps(self.claims(groups=groups, without=without, **claims)).encode()
        return PyJWS().encode(payload, self.key, algorithm="RS256", headers={"kid": self.kid, **(header or {})})

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def public_jwk(key: rsa.RSAPrivateKey, kid: str) -> dict[str, Any]:
    """The public half of `key` as an entry of a key set."""
    numbers = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": kid, "n": numbers["n"], "e": numbers["e"]}


class _KeySetServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, issuer: TokenIssuer) -> None:
        super().__init__(("127.0.0.1", 0), _KeySetHandler)
        self.issuer = issuer
        self.lock = threading.Lock()


class _KeySetHandler(BaseHTTPRequestHandler):
    server: _KeySetServer

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.issuer.requests += 1
        found = self.path == f"/{POOL}/.well-known/jwks.json"
        body = json.dumps(self.server.issuer.key_set if found else {"message": "Not Found"}).encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
        """Say nothing: the tests' output is for the tests."""
