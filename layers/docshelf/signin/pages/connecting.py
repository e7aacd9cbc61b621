"""How each client is connected to a server that signs people in."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from urllib.parse import quote, urlencode

_NAME = "docshelf"


@dataclass(frozen=True, slots=True)
class Way:
    """One client: what to do, a text to copy or a link that does it (or both; empty where there is none)."""

    client: str
    note: str
    text: str = ""
    link: str = ""
    link_text: str = ""


def ways(url: str) -> tuple[Way, ...]:
    """The ways to the server at `url`, the commonest first."""
    servers = {"mcpServers": {_NAME: {"type": "http", "url": url}}}
    return (
        Way(
            "Claude Code",
            "Run this in a terminal. The second line signs you in.",
            f"claude mcp add --transport http {_NAME} {url}\nclaude mcp login {_NAME}",
        ),
        Way("Codex", "Run this in a terminal. It signs you in at once.", f"codex mcp add {_NAME} --url {url}"),
        Way("Cursor", "Cursor asks before it adds the server.", link=_cursor_link(url), link_text="Add to Cursor"),
        Way("VS Code", "VS Code asks before it adds the server.", link=_vscode_link(url), link_text="Add to VS Code"),
        Way(
            "Claude on the web and desktop",
            "In Settings, Connectors, choose Add custom connector and paste the address above.",
        ),
        Way("Any other client", "Put this into the file that lists its MCP servers.", json.dumps(servers, indent=2)),
    )


def _cursor_link(url: str) -> str:
    settings = base64.b64encode(json.dumps({"url": url}).encode()).decode()
    return f"cursor://anysphere.cursor-deeplink/mcp/install?{urlencode({'name': _NAME, 'config': settings})}"


def _vscode_link(url: str) -> str:
    return f"vscode:mcp/install?{quote(json.dumps({'name': _NAME, 'type': 'http', 'url': url}), safe='')}"
