"""Fetching a key set: bounded in time and size, over https, and from no other address than the one given."""

from __future__ import annotations

from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import SplitResult

from docshelf.bounded_exchange import HeldConnection, within
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
    parts = check_keys_url(url)
    try:
        return within(seconds, lambda held: _download(parts, seconds, held), "token-keys")
    except TimeoutError as error:
        sentence = f"The token keys did not arrive within {seconds:g} seconds: try again in a minute."
        raise KeysUnavailableError(sentence) from error
    except (OSError, HTTPException, ValueError) as error:
        raise _unavailable(type(error).__name__) from error


def _download(parts: SplitResult, seconds: float, held: HeldConnection) -> bytes:
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    with closing(kind(parts.hostname or "", parts.port, timeout=seconds)) as connection:
        connection.connect()
        held.hold(connection.sock)
        connection.request("GET", parts.path or "/", headers=_HEADERS)
        with connection.getresponse() as response:
            if response.status != HTTPStatus.OK:
                raise _unavailable(f"status {response.status}")
            body = response.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise _unavailable(f"more than {MAX_BYTES // 1024} KiB")
    return body


def _unavailable(why: str) -> KeysUnavailableError:
    return KeysUnavailableError(f"The token keys cannot be fetched ({why}): try again in a minute.")
