"""Addresses on the web as settings give them: https, or http on this machine."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})

_HOST = re.compile(r"(?P<name>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://" + _HOST.pattern)


def web_address(text: str) -> SplitResult | None:
    """The parts of an address that requests may be sent to; None for anything else.

    That is https, or http to this machine, with a host, and without user, query and fragment.
    """
    if not text.isascii() or not text.isprintable() or any(sign in text for sign in " \\\"'<>?#@"):
        return None
    try:
        parts = urlsplit(text)
        usable = parts.port != 0
    except ValueError:
        return None
    if not usable or not parts.hostname or not _HOST.fullmatch(parts.netloc.lower()):
        return None
    return parts if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK_NAMES) else None


def host_name(text: str) -> str | None:
    """A Host header as it is compared: in lower case, without the port; None if it is none."""
    found = _HOST.fullmatch(text.strip().lower())
    return found["name"] if found else None


def is_origin(text: str) -> bool:
    """Whether a browser could send this as Origin of a page: a scheme and a host in lower case, and nothing more."""
    return _ORIGIN.fullmatch(text) is not None
