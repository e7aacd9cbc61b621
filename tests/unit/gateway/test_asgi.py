"""One request through an ASGI application: what it is told, and what comes of what it says."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from docshelf.errors import DocshelfError
from docshelf.gateway import asgi
from docshelf.gateway.asgi import Application, Receive, Send
from docshelf.gateway.events import answer_of, request_of
from docshelf.gateway.messages import HttpRequest, HttpResponse
from tests.support.http_events import http_api_2

Scope = MutableMapping[str, Any]

START = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]}
HEADER_VALUES = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"), max_size=20)


def a_request(**changes: Any) -> HttpRequest:
    values: dict[str, Any] = {
        "method": "POST",
        "path": "/mcp",
        "query": "",
        "headers": {"host": "docs.example.com"},
        "body": b"",
        "source_ip": "203.0.113.7",
        "request_id": "id",
    }
    return HttpRequest(**{**values, **changes})


def answered(application: Application, request: HttpRequest) -> HttpResponse:
    return asyncio.run(asgi.call(application, request))


async def echo(request: Request) -> JSONResponse:
    return JSONResponse(
        {
            "url": str(request.url),
            "method": request.method,
            "path": request.scope["path"],
            "raw_path": request.scope["raw_path"].decode(),
            "query": request.query_params.multi_items(),
            "client": request.client,
            "headers": request.headers.items(),
            "body": list(await request.body()),
        }
    )


ECHO = Starlette(routes=[Route("/{path:path}", echo, methods=["GET", "POST", "DELETE"])])


def test_an_application_sees_the_request_as_the_client_sent_it() -> None:
    request = a_request(query="a=1&a=%20b", headers={"host": "docs.example.com", "mcp-name": "x"}, body=b"\x00\xff")

    seen = json.loads(answered(ECHO, request).body)

    assert seen["url"] == "https://docs.example.com/mcp?a=1&a=%20b"
    assert (seen["method"], seen["path"]) == ("POST", "/mcp")
    assert seen["query"] == [["a", "1"], ["a", " b"]]
    assert seen["client"] == ["203.0.113.7", 0]
    assert seen["headers"] == [["host", "docs.example.com"], ["mcp-name", "x"]]
    assert seen["body"] == [0, 255]


def test_the_scheme_is_the_one_that_clients_use() -> None:
    response = asyncio.run(asgi.call(ECHO, a_request(), host_scheme="http"))

    assert json.loads(response.body)["url"] == "http://docs.example.com/mcp"


def test_a_request_of_an_unknown_client_without_a_host_can_be_made() -> None:
    seen = json.loads(answered(ECHO, a_request(headers={}, source_ip="")).body)

    assert seen["client"] is None
    assert seen["path"] == "/mcp"


@given(path=st.text(max_size=20), value=HEADER_VALUES, query=st.text(max_size=10), body=st.binary(max_size=100))
def test_any_path_header_and_body_arrive(path: str, value: str, query: str, body: bytes) -> None:
    request = a_request(path=f"/{path}", headers={"x-value": value}, query=query, body=body)

    seen = json.loads(answered(ECHO, request).body)

    assert seen["path"] == f"/{path}"
    assert seen["raw_path"].isascii()
    assert seen["headers"] == [["x-value", value]]
    assert bytes(seen["body"]) == body


def test_what_no_header_can_hold_arrives_as_a_question_mark() -> None:
    seen = json.loads(answered(ECHO, a_request(headers={"x": "a😀\ud800"})).body)

    assert seen["headers"] == [["x", "a??"]]


@given(parts=st.lists(st.binary(max_size=20), max_size=5))
def test_the_parts_of_an_answer_are_joined(parts: list[bytes]) -> None:
    async def application(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send(START)
        for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body"})

    assert answered(application, a_request()).body == b"".join(parts)


def test_headers_of_an_answer_are_kept_in_order_and_repeated() -> None:
    async def application(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({**START, "status": 302, "headers": [(b"set-cookie", b"a=1"), (b"Set-Cookie", b"b=\xe9")]})
        await send({"type": "http.response.body", "body": b"x"})

    response = answered(application, a_request())

    assert response == HttpResponse(302, (("set-cookie", "a=1"), ("Set-Cookie", "b=é")), b"x")


def test_a_client_stays_until_its_answer_is_complete_and_then_goes() -> None:
    order: list[str] = []

    async def application(_scope: Scope, receive: Receive, send: Send) -> None:
        assert await receive() == {"type": "http.request", "body": b"question", "more_body": False}

        async def watch() -> None:
            order.append((await receive())["type"])

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            await send(START)
            await send({"type": "http.response.body", "body": b"first ", "more_body": True})
            await anyio.wait_all_tasks_blocked()
            order.append("last part")
            await send({"type": "http.response.body", "body": b"last"})

    assert answered(application, a_request(body=b"question")).body == b"first last"
    assert order == ["last part", "http.disconnect"]


def test_an_application_that_watches_for_the_client_to_go_can_answer() -> None:
    async def parts(_request: Request) -> StreamingResponse:
        async def produce() -> Any:
            yield b"a"
            await anyio.lowlevel.checkpoint()
            yield b"b"

        return StreamingResponse(produce())

    assert answered(Starlette(routes=[Route("/mcp", parts, methods=["POST"])]), a_request()).body == b"ab"


def test_parts_after_the_last_one_are_dropped() -> None:
    async def application(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.body", "body": b"too early"})
        await send(START)
        await send({"type": "http.response.body", "body": b"whole"})
        await send({"type": "http.response.body", "body": b" and more"})
        await send({**START, "status": 500})

    assert answered(application, a_request()) == HttpResponse(200, (("content-type", "text/plain"),), b"whole")


@pytest.mark.parametrize(
    "messages",
    [[], [START], [START, {"type": "http.response.body", "body": b"half", "more_body": True}]],
    ids=["nothing", "no body", "half a body"],
)
def test_an_application_that_ends_without_a_whole_answer_is_a_fault(messages: list[dict[str, Any]]) -> None:
    async def application(_scope: Scope, _receive: Receive, send: Send) -> None:
        for message in messages:
            await send(message)

    with pytest.raises(DocshelfError, match="ended before it had answered"):
        answered(application, a_request())


def test_what_an_application_raises_is_raised() -> None:
    async def application(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise LookupError("inside")

    with pytest.raises(LookupError, match="inside"):
        answered(application, a_request())


def test_an_application_that_never_answers_ends_with_its_callers_scope() -> None:
    ended = []

    async def application(_scope: Scope, receive: Receive, _send: Send) -> None:
        try:
            while True:
                await receive()
        finally:
            ended.append(True)

    async def limited() -> None:
        with anyio.fail_after(0):
            await asgi.call(application, a_request())

    with pytest.raises(TimeoutError):
        asyncio.run(limited())
    assert ended == [True]


def test_an_event_goes_through_an_application_and_back() -> None:
    event = http_api_2(path="/a b", rawQueryString="q=1", headers={"host": "docs.example.com"}, body="text")

    answer = answer_of(event, answered(ECHO, request_of(event)))

    assert answer["statusCode"] == 200
    assert answer["headers"] == {"content-type": "application/json"}
    seen = json.loads(str(answer["body"]))
    assert (seen["path"], seen["raw_path"], seen["query"]) == ("/a b", "/a%20b", [["q", "1"]])


def test_the_gateway_needs_nothing_but_the_standard_library() -> None:
    script = (
        "import sys; before = set(sys.modules); import docshelf.gateway.asgi, docshelf.gateway.events;"
        "print(*{name.split('.')[0] for name in set(sys.modules) - before} - sys.stdlib_module_names)"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": str(Path(asgi.__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )

    assert loaded.stdout.split() == ["docshelf"]
