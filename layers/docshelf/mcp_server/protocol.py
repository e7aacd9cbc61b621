"""The MCP server over shelves: tools only, a shelf for each request, with texts made from the index each time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import anyio
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
from docshelf.mcp_server.arguments import schema
from docshelf.mcp_server.calls import answer_call, out_of_time, overview_for_texts
from docshelf.mcp_server.reports import CallReport, ToolAnswer
from docshelf.mcp_server.shelf import Overview, Shelf
from docshelf.mcp_server.texts import instructions
from docshelf.mcp_server.tools import TOOLS, listed_tools

TEXT_SECONDS = 8.0
"""What making texts may take at most: clients give `server/discover` ten seconds, and go on without instructions."""

_Context = ServerRequestContext[dict[str, Any], Any]


def unreported(_report: CallReport) -> None:
    """The `on_call` of a server whose calls nobody counts."""


class ShelfHandlers:
    """Answers the protocol's requests; shelves run on worker threads, never on the event loop.

    When a request's time is used up its thread is left to itself: it may still run, but nobody waits for it.
    """

    def __init__(
        self,
        open_shelf: Callable[[], Shelf],
        blurb: str | None,
        seconds: float | None,
        on_call: Callable[[CallReport], None],
    ) -> None:
        self._open_shelf = open_shelf
        self._blurb = blurb
        self._seconds = seconds
        self._on_call = on_call

    async def list_tools(self, _context: _Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        """The four tools; the search tool's description says what is on the shelf just now."""
        return ListToolsResult(tools=listed_tools(await self._overview(), self._blurb))

    async def call_tool(self, _context: _Context, params: CallToolRequestParams) -> CallToolResult:
        """One text; failures are results too, so that the client's model reads the sentence."""
        started = anyio.current_time()
        answer = await self._answer(params.name, params.arguments or {})
        self._on_call(CallReport.of(params.name, answer, anyio.current_time() - started))
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

    async def _answer(self, name: str, arguments: Mapping[str, object]) -> ToolAnswer:
        with anyio.move_on_after(self._seconds):
            return await anyio.to_thread.run_sync(
                answer_call, self._open_shelf(), name, arguments, abandon_on_cancel=True
            )
        return out_of_time(name, self._seconds or 0)

    async def _overview(self) -> Overview | None:
        """None when the index cannot be read just now, or not in time."""
        seconds = TEXT_SECONDS if self._seconds is None else min(self._seconds, TEXT_SECONDS)
        with anyio.move_on_after(seconds):
            return await anyio.to_thread.run_sync(overview_for_texts, self._open_shelf(), abandon_on_cancel=True)
        return None


def build_server(
    open_shelf: Callable[[], Shelf],
    blurb: str | None = None,
    *,
    seconds: float | None = None,
    on_call: Callable[[CallReport], None] = unreported,
) -> Server[dict[str, Any]]:
    """A server that advertises tools and nothing else, for both protocol eras; it holds no state between requests.

    `open_shelf` is called once for each request that needs a shelf; it must neither block nor raise. `seconds` is what
    a tool call, or making texts (never more than `TEXT_SECONDS`), may take: then the client gets a sentence, or texts
    that always hold. `on_call` is told of each tool call before the client gets the answer; it must not raise.
    """
    handlers = ShelfHandlers(open_shelf, blurb, seconds, on_call)
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
    # In place of the library's own, which reads the trace headers of any client's message: what is wrong with them ends
    # the call or goes into the log as it was sent, and with a telemetry library spans would hold what errors say.
    server.middleware[:] = [handlers.add_instructions]
    return server
