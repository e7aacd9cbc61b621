"""The search function under AWS's runtime client, behind an HTTP API, over an index that goes on changing."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from tests.support.api_gateway import api_gateway
from tests.support.cloud import Cloud, new_cloud
from tests.support.fault_proxy import Fault, FaultProxy
from tests.support.handler_processes import HandlerFailedError
from tests.support.http_wire import HttpMessage, request_line
from tests.support.lambda_runtime import LambdaRuntime
from tests.support.pipeline import Pipeline, pipeline
from tests.support.tokens import TokenIssuer

Mode = Literal["auto", "legacy", "2026-07-28"]
MODES: tuple[Mode, ...] = ("auto", "legacy", "2026-07-28")
Result = TypeVar("Result")

DOCUMENTS = {
    "handbook/pump.md": "# Pump\n\nThe harvester pump runs at 40 bar.\n",
    "handbook/valve.md": "# Valve\n\nThe valve opens at 3 bar.\n",
    "finance/salaries.md": "# Salaries\n\nThe harvester driver earns 4711 a month.\n",
}
GROUPS = {"engineers": ["handbook"], "accountants": ["finance"], "board": ["*"]}
PAGE = "https://app.example.com"
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
METADATA = 'resource_metadata="https://docs.example.com/.well-known/oauth-protected-resource/mcp"'
RENAMED = "x-amzn-remapped-www-authenticate"


@dataclass(frozen=True)
class Served:
    """The function at `url`, its index's writers, and who gives tokens for it."""

    url: str
    pipe: Pipeline
    issuer: TokenIssuer
    runtime: LambdaRuntime
    log: Path

    def token(self, *groups: str, **claims: Any) -> str:
        return self.issuer.issue(groups=groups, **claims)

    def call(self, token: str, tool: str, **arguments: object) -> str:
        """The text that a tool answers with, error or not."""
        return text_of(json.loads(post(self.url, token, tool, arguments).content)["result"]["content"][0]["text"])

    def requests(self) -> list[dict[str, Any]]:
        """The lines about requests."""
        return [line for line in self.lines() if line.get("message") == "request"]

    def lines(self) -> list[dict[str, Any]]:
        """The lines of JSON that the function wrote so far."""
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines() if line.startswith("{")]


def text_of(value: object) -> str:
    assert isinstance(value, str)
    return value


def post(url: str, token: str, tool: str, arguments: dict[str, object]) -> httpx2.Response:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    return httpx2.post(url, json=body, headers=JSON | {"Authorization": f"Bearer {token}"}, timeout=40)


def environment_of(cloud: Cloud, issuer: TokenIssuer, **changed: str) -> dict[str, str]:
    return {
        **cloud.environment,
        **issuer.environment,
        "DOCSHELF_MODEL": "all-minilm-l6-v2",
        "DOCSHELF_OFFLINE": "1",
        "DOCSHELF_HOSTS": "127.0.0.1",
        "DOCSHELF_ACCESS": json.dumps(GROUPS),
        "DOCSHELF_BROWSER_ORIGINS": PAGE,
        "DOCSHELF_BLURB": "Ask for harvesters.",
        "POWERTOOLS_SERVICE_NAME": "shelf-of-the-tests",
        **changed,
    }


@contextmanager
def indexed(moto_url: str) -> Iterator[Pipeline]:
    """A bucket with the documents, and its index."""
    cloud = new_cloud(moto_url)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in cloud.environment.items():
            patch.setenv(name, value)
        for key, data in DOCUMENTS.items():
            cloud.put(key, data)
        with pipeline(cloud, keep_versions_seconds=1) as made:
            made.sync(*DOCUMENTS)
            yield made


@pytest.fixture(scope="module")
def served(moto_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One instance of the function for all tests: what one leaves behind would show in the next."""
    log = tmp_path_factory.mktemp("search") / "search.log"
    with indexed(moto_url) as pipe, TokenIssuer() as issuer:
        environment = environment_of(pipe.cloud, issuer)
        with LambdaRuntime("search", environment, log) as runtime, api_gateway(runtime) as address:
            yield Served(f"{address}/mcp", pipe, issuer, runtime, log)
    print(log.read_text("utf-8"))


def with_client(url: str, token: str, mode: Mode, use: Callable[[Client], Awaitable[Result]]) -> Result:
    async def run() -> Result:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=40) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            return await use(client)

    return asyncio.run(run())


def shown(result: CallToolResult) -> str:
    content = result.content[0]
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize("mode", MODES)
def test_a_client_of_each_era_reads_texts_and_calls_tools(served: Served, mode: Mode) -> None:
    async def use(client: Client) -> tuple[str, list[str], CallToolResult]:
        tools = await client.list_tools()
        result = await client.call_tool("search_documents", {"query": "At how many bar does the pump run?"})
        return client.instructions or "", [tool.description or "" for tool in tools.tools], result

    instructions, descriptions, result = with_client(served.url, served.token("board"), mode, use)
    assert len(descriptions) == 4
    assert bool(instructions) == (mode != "2026-07-28")
    # A client that is told the revision does not ask for instructions.
    for text in (descriptions[0], *filter(None, [instructions])):
        assert "3 documents in 2 collections" in text
        assert "Ask for harvesters." in text
    assert not result.is_error
    assert "[1] handbook/pump.md" in shown(result)


def test_payload_1_0_is_answered_too(served: Served) -> None:
    with api_gateway(served.runtime, version="1.0") as address:
        response = post(f"{address}/mcp/", served.token("board"), "list_collections", {})
        assert response.status_code == 200
        assert "handbook | 2 documents" in response.text
        refused = httpx2.get(f"{address}/mcp")
        assert refused.status_code == 401
        assert METADATA in refused.headers[RENAMED]


def test_two_callers_on_one_instance_never_see_each_others_collections(served: Served) -> None:
    engineer, accountant, stranger = served.token("engineers"), served.token("accountants"), served.token("visitors")
    for _ in range(3):
        for token, seen, hidden in ((engineer, "pump.md", "salaries"), (accountant, "salaries.md", "pump")):
            found = served.call(token, "search_documents", query="harvester")
            assert seen in found
            assert hidden not in found
            collections = served.call(token, "list_collections")
            assert ("handbook" in collections, "finance" in collections) == (token == engineer, token == accountant)
        assert "harvester" not in served.call(stranger, "search_documents", query="harvester 4711").casefold()
        forbidden = served.call(engineer, "get_document", source="finance/salaries.md")
        unknown = served.call(engineer, "get_document", source="finance/no-such.md")
        assert forbidden.replace("salaries", "no-such") == unknown

    async def texts(client: Client) -> str:
        tools = await client.list_tools()
        return f"{client.instructions} {[tool.description for tool in tools.tools]}"

    for token, hidden in ((engineer, "finance"), (accountant, "handbook"), (stranger, "handbook")):
        assert hidden not in with_client(served.url, token, "auto", texts)


def test_a_commit_is_visible_to_the_next_request(served: Served) -> None:
    token = served.token("board")
    for text in ("The hose is red.", "The hose is blue."):
        served.pipe.cloud.put("handbook/hose.md", f"# Hose\n\n{text}\n")
        served.pipe.sync("handbook/hose.md")
        assert text in served.call(token, "get_document", source="handbook/hose.md")
    served.pipe.cloud.remove("handbook/hose.md")
    served.pipe.sync("handbook/hose.md")
    assert "There is no document" in served.call(token, "get_document", source="handbook/hose.md")


def test_a_version_that_was_cleaned_away_is_left_within_the_request(served: Served) -> None:
    token = served.token("board")
    assert "pump.md" in served.call(token, "search_documents", query="pump")
    before = served.requests()[-1]["index_version"]
    for number in range(4):
        served.pipe.cloud.put("handbook/nozzle.md", f"# Nozzle\n\nNozzle number {number}.\n")
        served.pipe.sync("handbook/nozzle.md")
    index = served.pipe.index()
    kept = index.measurements().versions
    index.maintain(force=True, keep_versions=timedelta(milliseconds=1))
    assert index.measurements().versions <= kept - 4, "each commit of the loop made a version of both tables"
    assert "Nozzle number 3." in served.call(token, "search_documents", query="nozzle")
    assert "pump.md" in served.call(token, "search_documents", query="pump")
    assert served.requests()[-1]["index_version"] == served.pipe.index().version != before
    served.pipe.cloud.remove("handbook/nozzle.md")
    served.pipe.sync("handbook/nozzle.md")


@pytest.mark.parametrize(
    ("method", "without", "with_token"),
    [("GET", 401, 405), ("HEAD", 401, 405), ("DELETE", 401, 405), ("PUT", 401, 405), ("OPTIONS", 204, 204)],
)
@pytest.mark.parametrize("path", ["", "/"])
def test_no_method_but_post_is_answered_and_none_holds_the_function(
    served: Served, method: str, without: int, with_token: int, path: str
) -> None:
    for token, status in ((None, without), (served.token("board"), with_token)):
        headers = {"Accept": "text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
        headers |= {"Authorization": f"bearer {token}"} if token else {}
        response = httpx2.request(method, served.url + path, headers=headers, timeout=5)
        assert response.status_code == status
        assert response.headers["cache-control"] == "no-store"
        if status == 401:
            assert response.headers[RENAMED] == f'Bearer {METADATA}, scope="docs:read"'
        if status == 405:
            assert response.headers["allow"] == "POST"


def test_a_page_of_a_browser_may_ask_and_sees_the_challenge(served: Served) -> None:
    preflight = httpx2.options(
        served.url,
        headers={
            "Origin": PAGE,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type,mcp-protocol-version",
        },
    )
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (204, PAGE)
    refused = httpx2.post(served.url, json={}, headers={"Origin": PAGE})
    assert refused.status_code == 401
    assert refused.headers["access-control-allow-origin"] == PAGE
    assert "WWW-Authenticate" in refused.headers["access-control-expose-headers"]
    assert httpx2.options(served.url, headers={"Origin": "https://evil.example"}).status_code == 403
    assert httpx2.post(served.url, json={}, headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', {}, 400),
        (b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', {"MCP-Protocol-Version": "2026-07-28"}, 400),
        (b"\xff\xfe", {}, 400),
        (b"{}", {"Content-Type": "application/octet-stream"}, 400),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {"Content-Encoding": "identity"}, 200),
        (b'{"jsonrpc":"2.0","method":"notifications/initialized"}', {}, 202),
        (b" " * ((1 << 20) + 1), {}, 413),
    ],
)
def test_a_body_that_is_no_request_is_answered_at_once(
    served: Served, content: bytes, headers: dict[str, str], status: int
) -> None:
    given = JSON | {"Authorization": f"Bearer {served.token('board')}"} | headers
    response = httpx2.post(served.url, content=content, headers=given)
    assert response.status_code == status
    assert not response.content or response.headers["content-type"] == "application/json"


def test_a_subscription_is_refused_and_never_a_stream(served: Served) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"notifications": {"toolsListChanged": True}, "_meta": meta}
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"}
    response = httpx2.post(
        served.url,
        json={"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params},
        headers=JSON | headers | {"Authorization": f"Bearer {served.token('board')}"},
        timeout=5,
    )
    assert (response.status_code, response.json()["error"]["code"]) == (404, -32601)


def test_an_event_that_is_no_request_is_answered_and_not_raised(served: Served) -> None:
    answer = cast("dict[str, Any]", served.runtime({"Records": []}))
    assert (answer["statusCode"], json.loads(answer["body"])["error"]) == (400, "event")


def test_the_log_has_one_line_a_request_without_token_query_key_or_subject(served: Served) -> None:
    token = served.token("engineers", sub="subject-of-the-engineer", username="engineer@example.com")
    served.call(token, "search_documents", query="zanzibar harvester")
    [line] = served.requests()[-1:]
    assert line["tool"] == "search_documents"
    assert line["rpc_method"] == "tools/call"
    assert line["status"] == 200
    assert line["hits"] >= 1
    assert line["tokens"] > 0
    assert line["duration_ms"] > 0
    assert line["cold"] is False
    assert line["index_version"].startswith("g0001.")
    assert len(line["caller"]) == 12
    assert line["request_id"]
    served.call(token, "get_document", source="finance/salaries.md")
    assert served.requests()[-1]["error"] == "not_found"
    httpx2.post(served.url, json={"method": "made up"}, headers={"Authorization": f"Bearer {token}x"})
    assert served.requests()[-1]["error"] == "invalid_token"
    written = served.log.read_text("utf-8")
    for hidden in (token, "zanzibar", "salaries", "Pump", "subject-of-the-engineer", "engineer@", "made up", "4711"):
        assert hidden not in written
    assert sum(request["cold"] for request in served.requests()) == 1


def test_the_metrics_count_requests_and_calls_by_tool(served: Served) -> None:
    served.call(served.token("board"), "search_documents", query="pump")
    httpx2.get(served.url)
    emitted = [line for line in served.lines() if "_aws" in line]
    by_tool = [line for line in emitted if line.get("Tool") == "search_documents"]
    assert by_tool[-1]["Calls"] == [1.0]
    assert by_tool[-1]["Hits"][0] >= 1
    assert (emitted[-1]["Requests"], emitted[-1]["Unauthorized"], emitted[-1]["Errors"]) == ([1.0], [1.0], [0.0])
    assert {name for line in emitted for name in line["_aws"]["CloudWatchMetrics"][0]["Dimensions"][0]} == {
        "service",
        "Tool",
    }


@dataclass
class Stalling:
    """While `on`, requests to S3 get no answer."""

    on: bool = False

    def decide(self, request: HttpMessage) -> Fault:
        return Fault.STALL if self.on and request_line(request).method == "GET" else Fault.NONE

    def kill(self) -> None:
        raise AssertionError("nothing is killed here")


def test_an_index_that_does_not_answer_ends_within_the_budget(moto_url: str, served: Served, tmp_path: Path) -> None:
    plan = Stalling()
    with ExitStack() as ends:
        proxy = ends.enter_context(FaultProxy(moto_url)).listen(plan)
        changed = {"AWS_ENDPOINT_URL": proxy, "DOCSHELF_ANSWER_SECONDS": "2"}
        environment = environment_of(served.pipe.cloud, served.issuer, **changed)
        runtime = ends.enter_context(LambdaRuntime("search", environment, tmp_path / "slow.log"))
        url = ends.enter_context(api_gateway(runtime)) + "/mcp"
        slow = replace(served, url=url, runtime=runtime, log=tmp_path / "slow.log")
        token = served.token("board")
        assert "pump.md" in slow.call(token, "search_documents", query="pump")
        plan.on = True
        begun = time.monotonic()
        answer = post(url, token, "list_collections", {})
        assert time.monotonic() - begun < 4
        assert answer.json()["result"]["isError"] is True
        assert "had no answer within" in answer.text
        assert slow.requests()[-1]["error"] == "timed_out"
        plan.on = False
        assert "pump.md" in slow.call(token, "search_documents", query="pump")


@pytest.mark.parametrize(
    ("variable", "value"),
    [("DOCSHELF_ACCESS", '{"engineers": "handbook"}'), ("DOCSHELF_URL", "https://docs.example.com")],
)
def test_a_wrong_setting_keeps_the_function_from_starting(
    served: Served, variable: str, value: str, tmp_path: Path
) -> None:
    environment = environment_of(served.pipe.cloud, served.issuer, **{variable: value})
    with (
        LambdaRuntime("search", environment, tmp_path / "log") as runtime,
        pytest.raises(HandlerFailedError, match=variable),
    ):
        runtime({})
