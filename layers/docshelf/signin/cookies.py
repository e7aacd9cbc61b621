"""Cookies that bind a sign-in to the browser it was begun in; no other host can set or read them."""

from __future__ import annotations

import re

from docshelf.gateway.messages import HttpRequest

_PREFIX = "__Host-docshelf-"
_VALUE = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax"


def cookie(request: HttpRequest, name: str) -> str | None:
    """The value of the cookie `name`: 43 letters, digits, `-` and `_`, as `secrets.token_urlsafe(32)` makes them.

    None if there is none such, or more than one.
    """
    # Only what HTTP counts as white space: a name that begins with another is one that any neighbour host can set.
    pairs = (pair.strip(" \t").partition("=") for pair in request.headers.get("cookie", "").split(";"))
    values = [value for key, _, value in pairs if key == _PREFIX + name]
    return values[0] if len(values) == 1 and _VALUE.fullmatch(values[0]) else None


def setting(name: str, value: str, seconds: int) -> tuple[str, str]:
    """The header that sets the cookie `name` for `seconds`."""
    return ("Set-Cookie", f"{_PREFIX}{name}={value}; Max-Age={seconds}; {_ATTRIBUTES}")


def deleting(name: str) -> tuple[str, str]:
    """The header that deletes the cookie `name`."""
    return ("Set-Cookie", f"{_PREFIX}{name}=; Max-Age=0; {_ATTRIBUTES}")
