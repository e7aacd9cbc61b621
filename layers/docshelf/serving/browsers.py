"""What browsers are told: which pages may read the answers (CORS)."""

from __future__ import annotations

from collections.abc import Collection

from docshelf.serving.answers import Headers

_METHODS = "POST"
_REQUEST_HEADERS = (
    "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID"
)
_EXPOSED = "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version"
_PREFLIGHT_SECONDS = 7200


class BrowserAccess:
    """The pages that may call this server. Without any, no page may, and answers say nothing of browsers."""

    def __init__(self, origins: Collection[str]) -> None:
        """`origins` are compared exactly, as browsers send them."""
        self._origins = frozenset(origins)

    def allows(self, origin: str | None) -> bool:
        """Whether a request with this Origin is answered; what is no browser sends none."""
        return origin is None or origin in self._origins

    def headers(self, origin: str | None) -> Headers:
        """What every answer says to a request with this Origin."""
        if not self._origins:
            return ()
        if origin not in self._origins or origin is None:
            return (("Vary", "Origin"),)
        return (
            ("Vary", "Origin"),
            ("Access-Control-Allow-Origin", origin),
            ("Access-Control-Expose-Headers", _EXPOSED),
        )

    def preflight(self, origin: str | None) -> Headers:
        """What the answer to OPTIONS says besides."""
        if origin is None or origin not in self._origins:
            return ()
        return (
            ("Access-Control-Allow-Methods", _METHODS),
            ("Access-Control-Allow-Headers", _REQUEST_HEADERS),
            ("Access-Control-Max-Age", str(_PREFLIGHT_SECONDS)),
        )
