"""One message through MCP: nothing stays of it, and it ends in time."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from docshelf.gateway.messages import HttpRequest, HttpResponse
from docshelf.mcp_server.reports import CallReport
from docshelf.serving.exchange import exchange
from tests.support.memory_shelf import MemoryShelf, company_shelf
from tests.unit.serving.made_up import header, message

SEARCH: dict[str, object] = {"name": "search_documents", "arguments": {"query": "Bank loan"}}
HANDSHAKE: dict[str, object] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


def ask(
    request: HttpRequest,
    shelf: MemoryShelf | None = None,
    *,
    seconds: float = 10,
    on_call: Callable[[CallReport], None] = lambda _report: None,
) -> HttpResponse:
    made = shelf or company_shelf()
    return exchange(request, lambda: made, blurb="Ask the librarian.", seconds=seconds, on_call=on_call)


@pytest.mark.parametrize("modern", [False, True])
def test_a_call_is_answered_as_json_and_reported(modern: bool) -> None:
    reports: list[CallReport] = []
    response = ask(message("tools/call", SEARCH, modern=modern), on_call=reports.append)
    assert (response.status, header(response, "content-type")) == (200, "application/json")
    assert "[1] reports/annual.pdf" in json.loads(response.body)["result"]["content"][0]["text"]
    assert [(report.tool, report.is_error) for report in reports] == [("search_documents", False)]


def test_the_blurb_reaches_the_texts() -> None:
    assert b"Ask the librarian." in ask(message("server/discover", modern=True)).body
    assert b"Ask the librarian." in ask(message("tools/list")).body


def test_a_notification_is_accepted_without_a_body() -> None:
    body = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    response = ask(replace(message("ping"), body=body))
    assert (response.status, response.body, response.headers) == (202, b"", ())


@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"content-type": "text/plain"}, None, 400),
        ({"accept": "text/html"}, None, 406),
        ({"mcp-protocol-version": "2031-01-01"}, None, 400),
        ({}, b"", 400),
        ({}, b"[" * 10_000, 400),
        ({}, b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', 400),
    ],
)
def test_every_refusal_is_json(headers: dict[str, str], body: bytes | None, status: int, modern: bool) -> None:
    usual = message("tools/list", modern=modern)
    response = ask(replace(usual, headers={**usual.headers, **headers}, body=usual.body if body is None else body))
    assert response.status == status
    assert header(response, "content-type") == "application/json"
    assert "error" in json.loads(response.body)


def test_a_subscription_is_refused_at_once() -> None:
    response = ask(message("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, modern=True))
    assert (response.status, json.loads(response.body)["error"]["code"]) == (404, -32601)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (message("tools/call", SEARCH), "had no answer within 0.2 seconds"),
        (message("tools/call", SEARCH, modern=True), "had no answer within 0.2 seconds"),
        (message("tools/list"), "search_documents"),
        (message("tools/list", modern=True), "search_documents"),
        (message("initialize", HANDSHAKE), "it cannot be read just now"),
        (message("server/discover", modern=True), "it cannot be read just now"),
    ],
)
def test_a_shelf_that_does_not_answer_is_left(request_: HttpRequest, words: str) -> None:
    ended = threading.Event()
    shelf = company_shelf()

    def wait(_method: str) -> None:
        ended.wait(30)

    shelf.fault = wait
    try:
        response = ask(request_, shelf, seconds=0.2)
    finally:
        ended.set()
    assert response.status == 200
    assert words in response.body.decode()
    assert ("had no answer" in words) == json.loads(response.body)["result"].get("isError", False)


def test_nothing_of_a_request_stays_for_the_next() -> None:
    before = threading.active_count()
    texts = {ask(message("tools/list")).body for _ in range(20)}
    assert len(texts) == 1
    for thread in threading.enumerate():
        if thread.name == "AnyIO worker thread":
            thread.join(10)
    assert threading.active_count() <= before


@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize(
    "traces",
    [
        {"baggage": 5},
        {"baggage": "canary " * 2000},
        {"baggage": ["canary", "é=1"]},
        {"traceparent": ["canary"]},
        {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01", "tracestate": "canary" * 2000},
    ],
)
def test_broken_traces_of_a_client_neither_end_a_call_nor_reach_the_log(
    traces: dict[str, object], modern: bool, caplog: pytest.LogCaptureFixture
) -> None:
    usual = message("tools/list", modern=modern)
    sent = json.loads(usual.body)
    sent["params"].setdefault("_meta", {}).update(traces)
    with caplog.at_level(logging.INFO):
        response = ask(replace(usual, body=json.dumps(sent).encode()))
    assert "tools" in json.loads(response.body)["result"]
    assert "canary" not in caplog.text
