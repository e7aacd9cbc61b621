"""Clients that no test can run, from what is publicly known of the requests that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx2

from tests.support.browser import Browser
from tests.support.cognito_pool import Person
from tests.support.oauth_client import OAuthClient, approve, register
from tests.support.published_documents import CLAUDE_AI, VS_CODE

_JSON_RPC = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


@dataclass(frozen=True, slots=True)
class Replay:
    """How a client signs in: by the document at `client_id`, or where that is None by a registration of `uris`.

    `redirect_uri` is the one it uses. `headers` go with all that it sends to the server by itself, `fields` into its
    registration.
    """

    name: str
    redirect_uri: str
    uris: tuple[str, ...] = ()
    client_id: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, object] = field(default_factory=dict)

    def known_to(self, origin: str) -> OAuthClient:
        """The client, after registering itself where it has no document."""
        client_id = self.client_id
        if client_id is None:
            answer = register(origin, *(self.uris or (self.redirect_uri,)), name=self.name, **self.fields)
            assert answer.status_code == 201, answer.text
            client_id = str(answer.json()["client_id"])
        return OAuthClient(origin, client_id, self.redirect_uri, headers=self.headers)


CURSOR_URIS = (
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "https://www.cursor.com/agents/mcp/oauth/callback",
    "http://localhost:8787/callback",
)
_INSPECTOR = "http://localhost:6274"

REPLAYS = {
    "Cursor": Replay("Cursor", CURSOR_URIS[0], CURSOR_URIS),
    "Cursor, in the cloud": Replay("Cursor", CURSOR_URIS[1], CURSOR_URIS),
    "Cursor, command line": Replay("Cursor", CURSOR_URIS[2], CURSOR_URIS),
    "VS Code": Replay("Visual Studio Code", "http://127.0.0.1:33418/", client_id=VS_CODE.url),
    "VS Code, port 33418 taken": Replay("Visual Studio Code", "http://127.0.0.1:59656/", client_id=VS_CODE.url),
    "VS Code, in a browser": Replay("Visual Studio Code", "https://vscode.dev/redirect", client_id=VS_CODE.url),
    "VS Code, without a document": Replay("Visual Studio Code", "http://127.0.0.1:33418/", VS_CODE.redirect_uris),
    "claude.ai": Replay("Claude", CLAUDE_AI.redirect_uris[0], client_id=CLAUDE_AI.url),
    "claude.ai, without a document": Replay("Claude", CLAUDE_AI.redirect_uris[0]),
    "ChatGPT": Replay("ChatGPT", "https://chatgpt.com/connector/oauth/q1W2e3R4t5Y6"),
    "Inspector, in a browser": Replay("MCP Inspector", f"{_INSPECTOR}/oauth/callback", headers={"Origin": _INSPECTOR}),
}
"""By the name in the table."""


def replay_sign_in(replay: Replay, origin: str, person: Person) -> tuple[OAuthClient, dict[str, str]]:
    """The client and its tokens, after `person` has allowed it and signed in."""
    client = replay.known_to(origin)
    attempt = client.begin()
    browser = Browser()
    try:
        answer = client.answer(attempt, approve(browser, attempt, person))
    finally:
        browser.close()
    return client, _tokens(client.redeem(attempt, answer["code"]), replay)


def replay_refresh(replay: Replay, client: OAuthClient, tokens: Mapping[str, str]) -> dict[str, str]:
    """New tokens."""
    return _tokens(client.refresh(tokens["refresh_token"]), replay)


def _tokens(answer: httpx2.Response, replay: Replay) -> dict[str, str]:
    assert answer.status_code == 200, answer.text
    if "Origin" in replay.headers:
        assert answer.headers["access-control-allow-origin"] in ("*", replay.headers["Origin"])
    tokens: dict[str, str] = answer.json()
    return tokens


def replay_call(client: OAuthClient, tokens: Mapping[str, str], tool: str, arguments: object) -> str:
    """What the tool answers."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    headers = {**_JSON_RPC, "Authorization": f"Bearer {tokens['access_token']}"}
    answer = httpx2.post(client.resource, json=body, headers=headers, timeout=40)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["result"]["content"][0]["text"])
