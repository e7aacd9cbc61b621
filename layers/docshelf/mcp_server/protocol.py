"""The MCP server over a shelf: tools only, with texts made from the index at every request for them."""

from __future__ import annotations

from typing import Any

import anyio.to_thread
from mcp.server import Server
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    DiscoverResult,
    ListToolsResult,
    PaginatedRequestParams,
    RequestParams,
    TextContent,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from docshelf import __version__
from docshelf.errors import DocshelfError
from docshelf.mcp_server.arguments import schema
from docshelf.mcp_server.calls import answer_call
from docshelf.mcp_server.shelf import Overview, Shelf
from docshelf.mcp_server.texts import instructions
from docshelf.mcp_server.tools import TOOLS, listed_tools

_Context = ServerRequestContext[dict[str, Any], Any]


class ShelfHandlers:
    """Answers the protocol's requests from a shelf; the shelf runs on worker threads, never on the event loop."""

    def __init__(self, shelf: Shelf, blurb: str | None) -> None:
        self._shelf = shelf
        self._blurb = blurb

    async def list_tools(self, _context: _Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        """The four tools; the search tool's description says what is on the shelf just now."""
        return ListToolsResult(tools=listed_tools(await self._overview(), self._blurb))

    async def call_tool(self, _context: _Context, params: CallToolRequestParams) -> CallToolResult:
        """One text; failures are results too, so that the client's model reads the sentence."""
        answer = await anyio.to_thread.run_sync(
            answer_call, self._shelf, params.name, params.arguments or {}, abandon_on_cancel=True
        )
        return CallToolResult(content=[TextContent(type="text", text=answer.text)], is_error=answer.is_error)

    async def instructions(self) -> str:
        """The server's instructions as the index is just now."""
        return instructions(await self._overview(), self._blurb)

    async def add_instructions(self, ctx: _Context, call_next: CallNext) -> HandlerResult:
        """Middleware: the handshake's result gets instructions made now instead of when the server was built."""
        result = await call_next(ctx)
        if ctx.method == "initialize" and isinstance(result, dict):
            return {**result, "instructions": await self.instructions()}
        return result

    async def _overview(self) -> Overview | None:
        """None when the index cannot be read just now: the client still learns the tools, which then say why."""
        try:
            return await anyio.to_thread.run_sync(self._shelf.overview, abandon_on_cancel=True)
        except DocshelfError:
            return None


def build_server(shelf: Shelf, blurb: str | None = None) -> Server[dict[str, Any]]:
    """A server that advertises tools and nothing else, for both protocol eras; it holds no state between requests."""
    handlers = ShelfHandlers(shelf, blurb)
    server: Server[dict[str, Any]] = Server(
        "docshelf",
        title="Docshelf",
        version=__version__,
        description="Search a shelf of documents with exact citations.",
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        get_tool_input_schema=lambda name: schema(TOOLS[name].parameters) if name in TOOLS else None,
    )

    async def discover(context: _Context, _params: RequestParams) -> DiscoverResult:
        return DiscoverResult(
            supported_versions=list(MODERN_PROTOCOL_VERSIONS),
            capabilities=server.get_capabilities(protocol_version=context.protocol_version),
            instructions=await handlers.instructions(),
        )

    server.add_request_handler("server/discover", RequestParams, discover)
    server.middleware.append(handlers.add_instructions)
    return server
