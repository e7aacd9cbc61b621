"""The lines that connect each coding client to a server."""

from __future__ import annotations

import json


def connect_lines(url: str) -> list[tuple[str, str]]:
    """(client, what to paste) for the server at `url`; Cursor's text goes into a file that its name states."""
    vscode = json.dumps({"name": "docshelf", "type": "http", "url": url})
    cursor = json.dumps({"mcpServers": {"docshelf": {"url": url}}})
    return [
        ("Claude Code", f"claude mcp add --transport http docshelf {url}"),
        ("Codex", f"codex mcp add docshelf --url {url}"),
        ("Cursor (~/.cursor/mcp.json)", cursor),
        ("VS Code", f"code --add-mcp '{vscode}'"),
    ]


def front_page(url: str) -> str:
    """A short plain text for a person who opens the server in a browser."""
    lines = "\n".join(f"  {client}:\n    {text}" for client, text in connect_lines(url))
    return (
        "docshelf: search a shelf of documents from a coding client, with exact citations.\n\n"
        f"This is an MCP server (Streamable HTTP) at {url}\n\nConnect a client:\n{lines}\n"
    )
