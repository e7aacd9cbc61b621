"""The server over real HTTP, with the SDK's client in both protocol eras and with requests written by hand."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Literal, TypeVar

import httpx2
import pytest
from mcp import Client
from mcp.types import TextContent

from docshelf.errors import IndexUnavailableError
from docshelf.mcp_server.server import listen, serve
from docshelf.mcp_server.shelf import Progress
from tests.support.memory_shelf import MemoryShelf, company_shelf

Mode = Literal["auto", "legacy", "2026-07-28"]
MODES: tuple[Mode, ...] = ("auto", "legacy", "2026-07-28")
ERAS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
Result = TypeVar("Result")


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[str, MemoryShelf]]:
    """The endpoint of one server on a free port, and its shelf."""
    shelf = company_shelf()
    stop, started = threading.Event(), threading.Event()
    urls: list[str] = []

    def on_started(address: str) -> None:
        urls.append(address)
        started.set()

    thread = threading.Thread(
        target=serve, args=(lambda: shelf, listen(0)), kwargs={"on_started": on_started, "stop": stop}, name="server"
    )
    thread.start()
    assert started.wait(10)
    yield urls[0], shelf
    stop.set()
    thread.join(10)
    assert not thread.is_alive()


@pytest.fixture
def url(served: tuple[str, MemoryShelf]) -> str:
    return served[0]


@pytest.fixture
def shelf(served: tuple[str, MemoryShelf]) -> Iterator[MemoryShelf]:
    """The shelf of the server, as it was before once the test ends."""
    shelf, fresh = served[1], company_shelf()
    yield shelf
    shelf.documents, shelf.progress, shelf.fault = fresh.documents, fresh.progress, fresh.fault


def with_client(url: str, mode: Mode, use: Callable[[Client], Awaitable[Result]]) -> Result:
    async def run() -> Result:
        async with Client(url, mode=mode) as client:
            return await use(client)

    return asyncio.run(run())


def post(url: str, message: object, headers: dict[str, str] | None = None) -> httpx2.Response:
    return httpx2.post(url, json=message, headers=JSON | (headers or {}))


def request(method: str, version: str, params: dict[str, object] | None = None) -> tuple[object, dict[str, str]]:
    """A JSON-RPC request and its headers as a client of `version` writes them."""
    headers = {"MCP-Protocol-Version": version}
    if version != "2026-07-28":
        return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}, headers
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    headers["Mcp-Method"] = method
    if params and isinstance(params.get("name"), str):
        headers["Mcp-Name"] = str(params["name"])
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**(params or {}), "_meta": meta}}, headers


@pytest.mark.parametrize("mode", MODES)
def test_a_client_of_each_era_lists_the_tools_and_searches(url: str, mode: Mode) -> None:
    async def use(client: Client) -> tuple[list[str], str]:
        tools = await client.list_tools()
        result = await client.call_tool("search_documents", {"query": "Harbour Bank loan"})
        assert result.structured_content is None
        assert not result.is_error
        assert len(result.content) == 1
        content = result.content[0]
        assert isinstance(content, TextContent)
        return [tool.name for tool in tools.tools], content.text

    names, text = with_client(url, mode, use)
    assert names == ["search_documents", "get_document", "list_documents", "list_collections"]
    assert '[1] reports/annual.pdf | "Annual report" | page 2 |' in text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_instructions_and_descriptions_follow_the_index(url: str, shelf: MemoryShelf, mode: Mode) -> None:
    async def texts(client: Client) -> tuple[str, str]:
        tools = await client.list_tools()
        return client.instructions or "", tools.tools[0].description or ""

    for text in with_client(url, mode, texts):
        assert '"handbook" (1 document, e.g. "Delivery guide")' in text
    shelf.documents = shelf.documents[1:]
    shelf.progress = Progress(3, 4)
    for text in with_client(url, mode, texts):
        assert "handbook" not in text
        assert "Indexing is under way: 3 of 4 documents" in text


def test_a_client_learns_the_tools_even_when_the_index_cannot_be_read(url: str, shelf: MemoryShelf) -> None:
    def fault(_method: str) -> None:
        raise IndexUnavailableError("The index is busy; try again.")

    shelf.fault = fault

    async def use(client: Client) -> tuple[int, str]:
        tools = await client.list_tools()
        result = await client.call_tool("list_collections", {})
        assert result.is_error
        content = result.content[0]
        assert isinstance(content, TextContent)
        return len(tools.tools), content.text

    assert with_client(url, "auto", use) == (4, "The index is busy; try again.")


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize("path", ["", "/"])
def test_a_tool_call_without_any_session_is_answered_as_json(url: str, version: str, path: str) -> None:
    body, headers = request("tools/call", version, {"name": "list_collections", "arguments": {}})
    response = post(url + path, body, headers)
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("application/json")
    assert "mcp-session-id" not in response.headers
    result = response.json()["result"]
    assert "structuredContent" not in result
    assert result["isError"] is False
    assert "handbook | 1 document" in result["content"][0]["text"]


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("search_documents", {"query": "x", "limit": 0}, "limit must be a whole number from 1 to 20, not 0."),
        ("search_documents", {"query": ["x"]}, "query must be a text, not a list."),
        ("nothing", {}, 'There is no tool "nothing"; there are search_documents, '),
        ("get_document", {"source": "nowhere.md"}, "There is no document"),
    ],
)
def test_a_bad_call_is_a_result_with_one_sentence(
    url: str, version: str, name: str, arguments: dict[str, object], sentence: str
) -> None:
    body, headers = request("tools/call", version, {"name": name, "arguments": arguments})
    result = post(url, body, headers).json()["result"]
    assert result["isError"] is True
    assert result["content"][0]["text"].startswith(sentence)


@pytest.mark.parametrize(("version", "status"), [("2025-11-25", 400), ("2026-07-28", 200)])
def test_half_of_a_surrogate_pair_is_answered(url: str, version: str, status: int) -> None:
    arguments: dict[str, object] = {"query": "Bank \ud83d", "\ud800": 1}
    body, headers = request("tools/call", version, {"name": "search_documents", "arguments": arguments})
    response = httpx2.post(url, content=json.dumps(body), headers=JSON | headers)
    assert response.status_code == status
    assert version == "2025-11-25" or response.json()["result"]["isError"] is True


def test_the_handshake_advertises_tools_only(url: str) -> None:
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    result = post(url, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).json()["result"]
    assert result["protocolVersion"] == "2025-06-18"
    assert result["capabilities"] == {"tools": {"listChanged": False}}
    assert result["serverInfo"]["name"] == "docshelf"
    assert result["instructions"].startswith("Docshelf serves a fixed shelf")


def test_discovery_advertises_tools_only(url: str) -> None:
    body, headers = request("server/discover", "2026-07-28")
    result = post(url, body, headers).json()["result"]
    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["capabilities"] == {"tools": {"listChanged": False}}
    assert result["instructions"].startswith("Docshelf serves a fixed shelf")


def test_a_subscription_is_refused_and_never_a_stream(url: str) -> None:
    params: dict[str, object] = {"notifications": {"toolsListChanged": True}}
    body, headers = request("subscriptions/listen", "2026-07-28", params)
    response = post(url, body, headers)
    assert response.status_code == 404
    assert response.json()["error"]["code"] == -32601


@pytest.mark.parametrize("version", [None, "2024-11-05", "2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "HEAD"])
def test_every_other_method_is_refused_at_once(url: str, method: str, version: str | None) -> None:
    headers = {"Accept": "text/event-stream"} | ({"MCP-Protocol-Version": version} if version else {})
    response = httpx2.request(method, url, headers=headers)
    assert response.status_code == 405
    assert response.headers["allow"] == "POST"


def test_options_says_what_is_allowed_and_gives_no_browser_access(url: str) -> None:
    response = httpx2.options(url)
    assert response.status_code == 204
    assert response.headers["allow"] == "POST, OPTIONS"
    assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize("path", ["/mcp", "/", "/healthz", "/nothing"])
def test_a_foreign_host_or_origin_is_refused_on_every_path(url: str, path: str) -> None:
    address = url.removesuffix("/mcp") + path
    port = url.split(":")[2].split("/")[0]
    assert httpx2.get(address, headers={"Host": f"evil.example:{port}"}).status_code == 421
    assert httpx2.get(address, headers={"Host": "127.0.0.1:1"}).status_code == 421
    assert httpx2.get(address, headers={"Origin": "http://evil.example"}).status_code == 403
    assert httpx2.get(address, headers={"Origin": "null"}).status_code == 403


def test_the_names_of_this_machine_are_accepted(url: str) -> None:
    port = url.split(":")[2].split("/")[0]
    body, headers = request("tools/list", "2025-11-25")
    for name in ("127.0.0.1", "localhost"):
        local = {"Host": f"{name}:{port}", "Origin": f"http://{name}:{port}"}
        assert post(url, body, headers | local).status_code == 200


def test_a_body_that_is_too_large_is_refused(url: str) -> None:
    body, headers = request(
        "tools/call", "2025-11-25", {"name": "search_documents", "arguments": {"query": "x" * 1_100_000}}
    )
    assert post(url, body, headers).status_code == 413


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 400),
        (b"not json", 400),
        (b"[" * 100_000, 400),
        (b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', 400),
        (b'{"jsonrpc":"2.0","id":1}', 400),
        (b'{"jsonrpc":"2.0","method":"notifications/initialized"}', 202),
    ],
)
def test_a_body_that_is_no_request_is_answered_at_once(url: str, version: str, content: bytes, status: int) -> None:
    response = httpx2.post(url, content=content, headers=JSON | {"MCP-Protocol-Version": version})
    assert response.status_code == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/plain"}, 400),
        ({"Accept": "text/html"}, 406),
        ({"Accept": "application/json"}, 200),
        ({"MCP-Protocol-Version": "2031-01-01"}, 400),
    ],
)
def test_headers_are_checked(url: str, headers: dict[str, str], status: int) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert post(url, body, headers).status_code == status


def test_unknown_paths_are_not_found_as_json(url: str) -> None:
    base = url.removesuffix("/mcp")
    for path in ("/.well-known/oauth-protected-resource/mcp", "/sse", "/mcp/x", "/healthz/"):
        response = httpx2.get(base + path)
        assert response.status_code == 404
        assert response.json()["error"] == "not_found"


def test_the_front_page_says_how_to_connect(url: str) -> None:
    response = httpx2.get(url.removesuffix("/mcp") + "/")
    assert response.headers["content-type"].startswith("text/plain")
    assert f"claude mcp add --transport http docshelf {url}" in response.text
    assert httpx2.get(url.removesuffix("/mcp") + "/healthz").json() == {"status": "ok"}


def test_slow_calls_do_not_hold_up_others(url: str, shelf: MemoryShelf) -> None:
    entered, release = threading.Event(), threading.Event()

    def fault(method: str) -> None:
        if method == "search":
            entered.set()
            release.wait(10)

    shelf.fault = fault
    answers: list[int] = []

    def search() -> None:
        body, headers = request(
            "tools/call", "2025-11-25", {"name": "search_documents", "arguments": {"query": "Bank"}}
        )
        answers.append(post(url, body, headers).status_code)

    thread = threading.Thread(target=search)
    thread.start()
    try:
        assert entered.wait(10)
        body, headers = request("tools/list", "2026-07-28")
        assert post(url, body, headers).status_code == 200
        assert answers == []
    finally:
        release.set()
        thread.join(10)
    assert answers == [200]


def test_many_clients_at_once_get_their_own_answers(url: str) -> None:
    async def ask(client: httpx2.AsyncClient, number: int) -> bool:
        version = ERAS[number % len(ERAS)]
        arguments = {"source": "handbook/delivery.md", "from_line": number % 40 + 1, "to_line": number % 40 + 1}
        body, headers = request("tools/call", version, {"name": "get_document", "arguments": arguments})
        response = await client.post(url, content=json.dumps(body), headers=JSON | headers)
        return f"parcel to bay {number % 40 + 1}.\n" in response.json()["result"]["content"][0]["text"]

    async def run() -> list[bool]:
        async with httpx2.AsyncClient(timeout=30) as client:
            return await asyncio.gather(*(ask(client, number) for number in range(80)))

    assert all(asyncio.run(run()))
