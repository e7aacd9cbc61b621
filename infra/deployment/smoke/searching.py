"""Asking the MCP server with a client of the MCP library, as a program with a machine's token does."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import TextContent

from infra.deployment.smoke.steps import StepError

_SECONDS = 35.0
_TOOLS = {"search_documents", "get_document", "list_documents", "list_collections"}
_MAX_SHOWN = 300

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Searching:
    """The server at `url`, asked with `token`. Every method raises StepError where there is no answer."""

    url: str
    token: str

    def tools(self) -> str:
        """The server takes the token and has its tools."""

        async def use(client: Client) -> set[str]:
            return {tool.name for tool in (await client.list_tools()).tools}

        names = self._connected(use)
        if not names >= _TOOLS:
            raise StepError(f"The server has the tools {', '.join(sorted(names))}, without some of docshelf's.")
        return f"the token is taken, and {len(names)} tools are there"

    def call(self, tool: str, **arguments: object) -> str:
        """The text that a tool answers with, be it an error's sentence."""

        async def use(client: Client) -> str:
            result = await client.call_tool(tool, arguments)
            return "\n".join(part.text for part in result.content if isinstance(part, TextContent))

        return self._connected(use)

    def _connected(self, use: Callable[[Client], Awaitable[Result]]) -> Result:
        async def connected() -> Result:
            headers = {"Authorization": f"Bearer {self.token}"}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=_SECONDS) as http,
                Client(streamable_http_client(self.url, http_client=http)) as client,
            ):
                return await asyncio.wait_for(use(client), _SECONDS)

        failures: list[BaseException] = []
        try:
            return _beside(lambda: asyncio.run(connected()))
        except* (MCPError, httpx2.HTTPError, TimeoutError) as group:
            failures = _leaves(group)
        raise StepError(f"The MCP client gets no answer from {self.url}: {_shown(failures[0])}") from failures[0]


def citation_of(answer: str, key: str) -> str | None:
    """The citation line of a passage of the document `key` in the answer of a search."""
    found = re.search(rf"^\[\d+\] {re.escape(key)} \|.*$", answer, re.MULTILINE)
    return found[0] if found else None


def _beside(work: Callable[[], Result]) -> Result:
    """The result of `work` on a thread of its own: Ctrl-C ends the waiting for it at once, wherever it is."""
    outcome: Future[Result] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # noqa: BLE001  raised where the result is waited for
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True, name="docshelf-smoke").start()
    return outcome.result()


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for each in error.exceptions for leaf in _leaves(each)]
    return [error]


def _shown(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
