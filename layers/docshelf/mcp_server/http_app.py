"""The ASGI application: MCP at `/mcp`, Host and Origin checked everywhere, JSON answers, nothing that never ends.

Within `application.router.lifespan_context(application)` it answers requests; that context may be entered again after
it was left, so a host that keeps nothing between calls can enter it for each of them.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from docshelf.mcp_server.protocol import build_server, unreported
from docshelf.mcp_server.reports import CallReport
from docshelf.mcp_server.shelf import Shelf

MAX_BODY_BYTES = 1_048_576

# Without a handler of the host's own, refused requests stay out of the terminal.
logging.getLogger("mcp").addHandler(logging.NullHandler())


class McpEndpoint:
    """ASGI application of the one MCP path: POST only, so that no stream is ever opened."""

    def __init__(self, server: Server[dict[str, Any]]) -> None:
        self._server = server
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer requests until the context ends; each time with a fresh manager, as one can run only once."""
        manager = StreamableHTTPSessionManager(
            self._server, json_response=True, stateless=True, max_request_body_size=MAX_BODY_BYTES
        )
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        method = scope["method"]
        if method == "OPTIONS":
            await Response(status_code=204, headers={"Allow": "POST, OPTIONS"})(scope, receive, send)
        elif method != "POST":
            message = "This is an MCP endpoint: POST JSON-RPC messages to it."
            await _json_error(405, "method_not_allowed", message, {"Allow": "POST"})(scope, receive, send)
        elif self._manager is None:
            await _json_error(503, "not_running", "The server is starting or ending.")(scope, receive, send)
        else:
            await self._manager.handle_request(scope, receive, send)


class HostCheck:
    """ASGI middleware: an unknown Host is answered 421, an unknown Origin 403, on every path."""

    def __init__(self, app: ASGIApp, settings: TransportSecuritySettings) -> None:
        self._app = app
        self._security = TransportSecurityMiddleware(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "http":
            refusal = await self._security.validate_request(Request(scope, receive))
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


def create_app(
    open_shelf: Callable[[], Shelf],
    *,
    allowed_hosts: Sequence[str],
    allowed_origins: Sequence[str] = (),
    blurb: str | None = None,
    front_page: str | None = None,
    seconds: float | None = None,
    on_call: Callable[[CallReport], None] = unreported,
) -> Starlette:
    """The application over shelves, one for each request; `open_shelf`, `seconds` and `on_call` as in `build_server`.

    `allowed_hosts` are exact Host headers (`name:port`, or `name:*` for any port); `allowed_origins` exact Origins of
    browser clients, none by default: other clients send no Origin. `blurb` is a sentence of the operator for the tool
    texts. `front_page` is the plain text at `/`, which is not found without it.
    """
    endpoint = McpEndpoint(build_server(open_shelf, blurb, seconds=seconds, on_call=on_call))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with endpoint.running():
            yield

    async def healthy(_request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def front(_request: Request) -> Response:
        return PlainTextResponse(front_page or "")

    routes = [Route("/mcp", endpoint), Route("/mcp/", endpoint), Route("/healthz", healthy, methods=["GET"])]
    if front_page is not None:
        routes.append(Route("/", front, methods=["GET"]))
    settings = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=list(allowed_hosts),
        allowed_origins=list(allowed_origins),
    )
    application = Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(HostCheck, settings=settings)],
        exception_handlers={404: _not_found},
    )
    application.router.redirect_slashes = False
    return application


async def _not_found(_request: Request, _error: Exception) -> Response:
    return _json_error(404, "not_found", "There is nothing here; the MCP endpoint is /mcp.")


def _json_error(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": code, "message": message}, status_code=status, headers=headers)
