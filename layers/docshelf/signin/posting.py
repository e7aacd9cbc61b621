"""Requests to the user pool: a form there, a bounded answer back."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlencode, urlsplit

from docshelf.bounded_exchange import HeldConnection, within
from docshelf.errors import UserPoolUnavailableError

MAX_BYTES = 64 * 1024
SECONDS = 10.0


def post_form(
    url: str, form: Mapping[str, str], headers: Mapping[str, str], seconds: float = SECONDS
) -> tuple[int, bytes]:
    """The status and body of the answer to `form`, which is waited for `seconds`. Redirects are not followed.

    Raises:
        UserPoolUnavailableError: no answer came, or one of more than 64 KiB.
    """
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    sent = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json", **headers}

    def exchange(held: HeldConnection) -> tuple[int, bytes]:
        with closing(kind(parts.hostname or "", parts.port, timeout=seconds)) as connection:
            connection.connect()
            held.hold(connection.sock)
            connection.request("POST", parts.path, urlencode(form), sent)
            with connection.getresponse() as response:
                return response.status, response.read(MAX_BYTES + 1)

    try:
        status, body = within(seconds, exchange, "user-pool")
    except (OSError, HTTPException) as error:
        raise _unavailable(type(error).__name__) from error
    if len(body) > MAX_BYTES:
        raise _unavailable("its answer is too large")
    return status, body


def _unavailable(why: str) -> UserPoolUnavailableError:
    return UserPoolUnavailableError(f"The user pool does not answer as it should just now ({why}): try again.")
