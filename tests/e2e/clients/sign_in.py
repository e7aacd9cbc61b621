"""Signs in to an MCP server and calls a tool, as a program on fastmcp does; prints the answer as JSON.

Usage: python sign_in.py TOOL ARGUMENTS, with the variables of `sign_in.mjs`, which does the same.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import fastmcp
import httpx2
from fastmcp.client.auth import OAuth
from key_value.aio.stores.filetree import FileTreeStore, FileTreeV1KeySanitizationStrategy
from mcp.shared.exceptions import MCPError

SECONDS = 30.0
FAILED = 3


async def ask(tool: str, arguments: str) -> dict[str, object]:
    """What the tool answers."""
    home = Path(os.environ["HOME"]) / "fastmcp"
    home.mkdir(exist_ok=True)
    store = FileTreeStore(data_directory=home, key_sanitization_strategy=FileTreeV1KeySanitizationStrategy(home))
    sign_in = OAuth(token_storage=store, callback_timeout=SECONDS)
    async with fastmcp.Client(os.environ["MCP_URL"], auth=sign_in) as client:
        result = await client.call_tool(tool, json.loads(arguments), raise_on_error=False)
    text = "\n".join(getattr(part, "text", "") for part in result.content)
    return {"text": text, "is_error": result.is_error}


def main(tool: str, arguments: str) -> int:
    """Print the answer, or what the client says where it has none, which is status 3."""
    try:
        said = asyncio.run(asyncio.wait_for(ask(tool, arguments), SECONDS))
    except (MCPError, RuntimeError, httpx2.HTTPError) as error:
        print(json.dumps({"failure": f"{type(error).__name__}: {error}"}))
        return FAILED
    print(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
