"""A search by the MCP client of the SDK, with a token."""

from __future__ import annotations

import asyncio

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent

_SECONDS = 120.0


def found(url: str, token: str, query: str) -> str:
    """The text that a search answers with."""

    async def run() -> str:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=_SECONDS) as http,
            Client(streamable_http_client(url, http_client=http), mode="auto") as client,
        ):
            result = await client.call_tool("search_documents", {"query": query})
        content = result.content[0]
        assert isinstance(content, TextContent)
        return content.text

    return asyncio.run(run())
