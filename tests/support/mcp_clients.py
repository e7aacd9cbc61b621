"""Programs that other people wrote to use MCP servers, each made to ask the same."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import fastmcp
import httpx2
from fastmcp.client.transports import StreamableHttpTransport
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from tests.support.node_clients import NodeClients

Call = tuple[str, dict[str, Any]]
"""A tool and its arguments."""

_SECONDS = 30.0
_INSPECTOR_TOOL_ERROR = 5
"""The status by which the Inspector says that a tool's answer is an error."""


class RefusedError(Exception):
    """The client could not use the server; the text is what it says to its user."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answered."""

    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Heard:
    """What a client got: descriptions of tools by name, and answers. `instructions` is None where it shows none."""

    instructions: str | None
    tools: dict[str, str]
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Visit:
    """A server to ask, with an access token or without; the client keeps its files in `home`."""

    node: NodeClients
    home: Path
    url: str
    token: str | None


Ask = Callable[[Visit, Sequence[Call]], Heard]
"""Connects, lists the tools and makes the calls. Raises RefusedError."""


def typescript_sdk(visit: Visit, calls: Sequence[Call], *, sdk: Literal["1", "2"], mode: str) -> Heard:
    """A program on a TypeScript SDK."""
    variables = {"MCP_URL": visit.url, "MCP_TOKEN": visit.token or ""}
    done = visit.node.run(visit.home, "talk.mjs", sdk, mode, json.dumps(calls), **variables)
    assert done.returncode in (0, 3), done.stderr
    said = json.loads(done.stdout)
    if done.returncode:
        raise RefusedError(said["failure"])
    return Heard(said["instructions"], said["tools"], tuple(Answer(**answer) for answer in said["answers"]))


def inspector(visit: Visit, calls: Sequence[Call], *, mode: str) -> Heard:
    """The command line of the Inspector, a process for each request. It is strict with the tools' schemas."""
    start = ["--cli", visit.url, "--transport", "http", "--protocol-era", mode, "--format", "json", "--quiet"]
    start += ["--stored-auth-only", *(["--header", f"Authorization: Bearer {visit.token}"] if visit.token else [])]

    def ask(*arguments: str) -> dict[str, Any]:
        done = visit.node.run(visit.home, "mcp-inspector", *start, *arguments)
        if not done.stdout:
            raise RefusedError(f"{done.stderr} (status {done.returncode})")
        result: dict[str, Any] = json.loads(done.stdout)["result"]
        assert done.returncode == (_INSPECTOR_TOOL_ERROR if result.get("isError") else 0), done.stderr
        return result

    tools = {tool["name"]: tool["description"] for tool in ask("--method", "tools/list", "--strict")["tools"]}
    answers = []
    for tool, arguments in calls:
        call = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments)]
        result = ask(*call)
        answers.append(Answer(_text(part["text"] for part in result["content"]), result.get("isError", False)))
    return Heard(None, tools, tuple(answers))


def mcp_remote(visit: Visit, calls: Sequence[Call], *, mode: str) -> Heard:
    """The bridge for programs that only start servers of their own; before it, one that knows the older protocol."""
    headers = visit.home / "headers.txt"
    headers.write_text(f"Authorization: Bearer {visit.token}\n" if visit.token else "", "utf-8")
    command, *arguments = visit.node.command(
        "mcp-remote", visit.url, "--transport", "http-only", "--protocol", mode, "--header-file", str(headers)
    )
    process = StdioServerParameters(
        command=command, args=arguments, env=visit.node.environment(visit.home), cwd=visit.home
    )
    log = visit.home / "mcp-remote.log"

    async def ask() -> Heard:
        with log.open("w", encoding="utf-8") as errors:
            async with Client(stdio_client(process, errors), mode="legacy") as client:
                listed = await client.list_tools()
                answers = [await client.call_tool(tool, arguments) for tool, arguments in calls]
                tools = {tool.name: tool.description or "" for tool in listed.tools}
                return Heard(client.instructions, tools, tuple(_answer(answer) for answer in answers))

    try:
        return _run(ask)
    except* MCPError:  # the bridge has ended, or passes an error on
        said = log.read_text("utf-8")
    raise RefusedError(said)


def fastmcp_client(visit: Visit, calls: Sequence[Call], *, mode: str) -> Heard:
    """A program on fastmcp."""

    async def ask() -> Heard:
        transport = StreamableHttpTransport(visit.url, auth=visit.token)
        async with fastmcp.Client(transport, mode=mode) as client:
            listed = await client.list_tools()
            answers = [await client.call_tool(tool, arguments, raise_on_error=False) for tool, arguments in calls]
            tools = {tool.name: tool.description or "" for tool in listed}
            return Heard(client.instructions, tools, tuple(_answer(answer) for answer in answers))

    try:
        return _run(ask)
    except (MCPError, httpx2.HTTPError) as error:
        raise RefusedError(str(error)) from error


def _run(ask: Callable[[], Awaitable[Heard]]) -> Heard:
    async def limited() -> Heard:
        return await asyncio.wait_for(ask(), _SECONDS)

    return asyncio.run(limited())


def _answer(result: Any) -> Answer:
    return Answer(_text(part.text for part in result.content), bool(result.is_error))


def _text(parts: Iterable[str]) -> str:
    return "\n".join(parts)


CLIENTS: dict[str, Ask] = {
    "TypeScript SDK 2, legacy": partial(typescript_sdk, sdk="2", mode="legacy"),
    "TypeScript SDK 2, auto": partial(typescript_sdk, sdk="2", mode="auto"),
    "TypeScript SDK 2, 2026-07-28": partial(typescript_sdk, sdk="2", mode="2026-07-28"),
    "TypeScript SDK 1": partial(typescript_sdk, sdk="1", mode="legacy"),
    "Inspector, legacy": partial(inspector, mode="legacy"),
    "Inspector, auto": partial(inspector, mode="auto"),
    "Inspector, modern": partial(inspector, mode="modern"),
    "mcp-remote, legacy": partial(mcp_remote, mode="legacy"),
    "mcp-remote, auto": partial(mcp_remote, mode="auto"),
    "fastmcp, legacy": partial(fastmcp_client, mode="legacy"),
    "fastmcp, auto": partial(fastmcp_client, mode="auto"),
}
"""Each client in each way that it can negotiate the protocol."""
