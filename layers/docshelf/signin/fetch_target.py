"""Addresses of documents that strangers name, and how a fetch of one fails."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from docshelf.errors import DocshelfError
from docshelf.signin.redirects import RedirectError, RedirectKind, parse_redirect

_HTTPS_PORT = 443
_HTTP_PORT = 80


class FetchRefusedError(DocshelfError):
    """What is at the address cannot be used; asking again would not help."""

    code = "fetch_refused"
    status = 400


class FetchFailedError(DocshelfError):
    """The address gave no answer just now."""

    code = "fetch_failed"
    status = 503
    retryable = True


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes: `path` has its query, `local` is plain http to this machine."""

    host: str
    port: int
    path: str
    local: bool

    @property
    def host_header(self) -> str:
        """The value of Host."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (_HTTP_PORT if self.local else _HTTPS_PORT) else f"{host}:{self.port}"


def parse_target(url: str, *, local: bool = False) -> Target:
    """The parts of a document's address: https, the usual port, a host with a dot, and a path; no fragment, no user.

    With `local`, http to this machine with any port is one too, for tests.

    Raises:
        FetchRefusedError: it is not.
    """
    try:
        # The same rules: nothing in it that two readers take differently, no address in numbers, no dot segments.
        kind = parse_redirect(url).kind
    except RedirectError:
        raise _not_an_address() from None
    parts = urlsplit(url)
    host = parts.hostname or ""
    here = kind is RedirectKind.LOOPBACK and parts.scheme == "http"
    port = parts.port or (_HTTP_PORT if here else _HTTPS_PORT)
    on_the_web = kind is RedirectKind.WEB and "." in host and port == _HTTPS_PORT
    if len(parts.path) < len("/x") or not (on_the_web or (local and here)):
        raise _not_an_address()
    return Target(host, port, f"{parts.path}?{parts.query}" if parts.query else parts.path, here)


def _not_an_address() -> FetchRefusedError:
    return FetchRefusedError(
        "The client_id is not the address of a document: that begins with https, has a domain, no port, and a path."
    )
