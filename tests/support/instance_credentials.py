"""Credentials of an instance at an address of this machine, as a function with snapshots gets them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_SECONDS = 2.0
_TOKEN = "what-the-process-shows-to-get-them"


class InstanceCredentials(ThreadingHTTPServer):
    """Answers with the credentials at hand, which `renew` replaces; `key_id` is the public half of them.

    They last two seconds, so that a client asks for others nearly each time.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.key_id = "ASIABEFORETHESNAPSHOT"

    def renew(self, key_id: str) -> None:
        """Answer with other credentials from now on, and return when those that were given before have run out."""
        self.key_id = key_id
        time.sleep(_SECONDS)

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead a process here."""
        return {
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"http://127.0.0.1:{self.server_port}/credentials",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN": _TOKEN,
        }


class _Handler(BaseHTTPRequestHandler):
    server: InstanceCredentials

    def do_GET(self) -> None:
        known = self.headers.get("Authorization") == _TOKEN
        expires = datetime.now(UTC) + timedelta(seconds=_SECONDS)
        found = {
            "AccessKeyId": self.server.key_id,
            "SecretAccessKey": "secret",
            "Token": "session",
            "Expiration": expires.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        }
        body = json.dumps(found).encode()
        self.send_response(200 if known else 403)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) if known else 0))
        self.end_headers()
        if known:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def instance_credentials() -> Iterator[InstanceCredentials]:
    """A new server of credentials, which ends with the block."""
    with InstanceCredentials() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
