"""Fetching a key set: bounded in time and size, over https, and from no other address than the one given."""

from __future__ import annotations

import socket
import threading
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import SplitResult

from docshelf.errors import KeysUnavailableError, SettingsError
from docshelf.web_addresses import web_address

MAX_BYTES = 64 * 1024
SECONDS = 5.0
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "docshelf"}


def check_keys_url(url: str) -> SplitResult:
    """The parts of an address that a key set may be fetched from.

    Raises:
        SettingsError: it is not an address that begins with https://, nor one of this machine.
    """
    parts = web_address(url)
    if parts is None:
        raise SettingsError("DOCSHELF_TOKEN_KEYS_URL must be an address that begins with https://.")
    return parts


def fetch_key_set(url: str, seconds: float = SECONDS) -> bytes:
    """What `url` answers: at most 64 KiB, within `seconds` from start to end. Redirects are not followed.

    Raises:
        KeysUnavailableError: no such answer came.
        SettingsError: see `check_keys_url`.
    """
    download = _Download(check_keys_url(url), seconds)
    # In a thread, since neither a slow name server nor an answer that trickles in heeds a socket's time-out.
    thread = threading.Thread(target=download.run, name="token-keys", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        download.abandon()
        raise KeysUnavailableError(f"The token keys did not arrive within {seconds:g} seconds: try again in a minute.")
    if download.fault is not None:
        raise KeysUnavailableError(f"The token keys cannot be fetched ({download.fault}): try again in a minute.")
    return download.body


class _Download:
    """One request; after `run` either `fault` says what went wrong or `body` is there."""

    def __init__(self, parts: SplitResult, seconds: float) -> None:
        self._parts = parts
        self._seconds = seconds
        self._socket: socket.socket | None = None
        self.body = b""
        self.fault: str | None = None

    def run(self) -> None:
        """Make the request."""
        kind = HTTPSConnection if self._parts.scheme == "https" else HTTPConnection
        try:
            with closing(kind(self._parts.hostname or "", self._parts.port, timeout=self._seconds)) as connection:
                connection.connect()
                self._socket = connection.sock
                self._exchange(connection)
        except (OSError, HTTPException, ValueError) as error:
            self.fault = type(error).__name__

    def _exchange(self, connection: HTTPConnection) -> None:
        connection.request("GET", self._parts.path or "/", headers=_HEADERS)
        with connection.getresponse() as response:
            if response.status != HTTPStatus.OK:
                self.fault = f"status {response.status}"
                return
            self.body = response.read(MAX_BYTES + 1)
        if len(self.body) > MAX_BYTES:
            self.fault = f"more than {MAX_BYTES // 1024} KiB"

    def abandon(self) -> None:
        """End the connection under the request's feet, so that its thread ends too."""
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                return  # it has ended by itself meanwhile
