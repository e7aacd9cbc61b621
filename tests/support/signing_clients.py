"""Programs that other people wrote, each made to sign in to an MCP server and to call a tool.

A client keeps what it remembers in its visit's home, so that a later call begins with the tokens of an earlier one.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from tests.support.client_rows import Program
from tests.support.client_visits import SECONDS, Visit
from tests.support.node_clients import DEFINITION

Ask = Callable[[Visit, str, Mapping[str, object]], str]
"""Calls a tool, after signing in where that has to be; the text of its answer. Raises ClientError."""


class Notices(StrEnum):
    """By what a client knows that it needs a new token."""

    CLOCK = "clock"
    """Some time before the end of the one it has."""
    END = "end"
    """At the end of it."""
    REFUSAL = "refusal"
    """Only where the server does not take it any more."""


@dataclass(frozen=True, slots=True)
class SigningClient:
    """How one client is used.

    `label`, `package` and `command` are those of `Program`. `sign_in` signs in, None where the first call does.
    `cancelled` is in what it says where the person does not allow it.
    """

    label: str
    package: str
    command: str
    ask: Ask
    sign_in: Callable[[Visit], None] | None = None
    notices: Notices = Notices.CLOCK
    cancelled: str = "access_denied"

    @property
    def program(self) -> Program:
        """How the page names it."""
        return Program(self.label, self.package, self.command)

    def begin(self, visit: Visit, tool: str, arguments: Mapping[str, object]) -> str:
        """Sign in and call a tool; the text of its answer. Raises ClientError."""
        if self.sign_in:
            self.sign_in(visit)
        return self.ask(visit, tool, arguments)

    def outlive_token(self, visit: Visit, end_tokens: Callable[[], None]) -> None:
        """Have the client see its token ended, which `end_tokens` has the server do."""
        if self.notices is Notices.REFUSAL:
            end_tokens()
        if self.notices is Notices.END:
            # What fastmcp remembers as the end of its token is put into the past.
            (path,) = (visit.home / "fastmcp" / "mcp-oauth-token-expiry").glob("*.json")
            content = json.loads(path.read_text("utf-8"))
            path.write_text(json.dumps({**content, "value": {"expires_at": 1.0}}), "utf-8")


def typescript_sdk(visit: Visit, tool: str, arguments: Mapping[str, object], *, sdk: str) -> str:
    """A program on a TypeScript SDK."""
    return _answer(visit, visit.run(visit.node.command("sign_in.mjs", sdk, tool, json.dumps(arguments))))


def fastmcp_client(visit: Visit, tool: str, arguments: Mapping[str, object]) -> str:
    """A program on fastmcp."""
    return _answer(visit, visit.run([sys.executable, str(DEFINITION / "sign_in.py"), tool, json.dumps(arguments)]))


def _answer(visit: Visit, said: str) -> str:
    answer = json.loads(said)
    if answer["is_error"]:
        raise visit.error(said)
    return str(answer["text"])


def mcp_remote(visit: Visit, tool: str, arguments: Mapping[str, object]) -> str:
    """The bridge for programs that only start servers of their own."""
    command, *parts = visit.node.command("mcp-remote", visit.url, "--transport", "http-only")
    process = StdioServerParameters(command=command, args=parts, env=visit.environment(), cwd=visit.home)
    log = visit.home / "mcp-remote.log"

    async def ask() -> str:
        with log.open("w", encoding="utf-8") as errors:
            async with Client(stdio_client(process, errors), mode="legacy") as client:
                result = await client.call_tool(tool, dict(arguments))
                return "\n".join(getattr(part, "text", "") for part in result.content)

    async def limited() -> str:
        return await asyncio.wait_for(ask(), SECONDS)

    try:
        return asyncio.run(limited())
    except* (MCPError, TimeoutError):
        said = log.read_text("utf-8")
    raise visit.error(said)


_SDK = 'new StreamableHTTPClientTransport(new URL("MCP_URL"), { authProvider })'
_BRIDGE = "npx mcp-remote MCP_URL --transport http-only"

CLIENTS = {
    "mcp-remote": SigningClient(
        "mcp-remote {}", "mcp-remote", "npx mcp-remote MCP_URL --transport http-only", mcp_remote
    ),
    "fastmcp": SigningClient(
        "fastmcp {}",
        "fastmcp-slim",
        'fastmcp.Client("MCP_URL", auth=OAuth(token_storage=store))',
        fastmcp_client,
        notices=Notices.END,
        cancelled="Access was denied",
    ),
    "TypeScript SDK 2": SigningClient(
        "TypeScript SDK {}",
        "@modelcontextprotocol/client",
        _SDK,
        partial(typescript_sdk, sdk="2"),
        notices=Notices.REFUSAL,
    ),
    "TypeScript SDK 1": SigningClient(
        "TypeScript SDK {}",
        "@modelcontextprotocol/sdk",
        _SDK,
        partial(typescript_sdk, sdk="1"),
        notices=Notices.REFUSAL,
    ),
}
"""Those that are always there."""
