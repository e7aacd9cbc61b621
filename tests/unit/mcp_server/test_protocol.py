"""The server's handlers: a shelf for each request, a time that no request exceeds, a report of each call."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Literal, TypeVar

import pytest
from mcp import Client
from mcp.types import TextContent

from docshelf.errors import IndexUnavailableError
from docshelf.mcp_server.protocol import build_server
from docshelf.mcp_server.reports import CallReport
from docshelf.mcp_server.shelf import Shelf
from docshelf.mcp_server.tokens import estimate
from tests.support.memory_shelf import MemoryShelf, company_shelf

Mode = Literal["auto", "legacy", "2026-07-28"]
MODES: tuple[Mode, ...] = ("auto", "legacy", "2026-07-28")
Result = TypeVar("Result")


class LeapingLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock a test may set ahead from any thread."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead

    def leap(self, seconds: float) -> None:
        self.ahead += seconds
        self.call_soon_threadsafe(lambda: None)


def with_client(
    open_shelf: Callable[[], Shelf],
    use: Callable[[Client], Awaitable[Result]],
    *,
    mode: Mode = "auto",
    seconds: float | None = None,
    on_call: Callable[[CallReport], None] = lambda _report: None,
    loop_factory: Callable[[], asyncio.AbstractEventLoop] = asyncio.SelectorEventLoop,
) -> Result:
    server = build_server(open_shelf, "Of Harbour Ltd.", seconds=seconds, on_call=on_call)

    async def run() -> Result:
        async with Client(server, mode=mode) as client:
            return await use(client)

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        return runner.run(run())


async def text_of(client: Client, name: str, arguments: dict[str, object]) -> tuple[bool, str]:
    result = await client.call_tool(name, arguments)
    content = result.content[0]
    assert isinstance(content, TextContent)
    return bool(result.is_error), content.text


# -- shelves -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_every_request_gets_a_shelf_of_its_own(mode: Mode) -> None:
    opened: list[MemoryShelf] = []

    def open_shelf() -> Shelf:
        opened.append(company_shelf())
        return opened[-1]

    async def use(client: Client) -> list[int]:
        counts = [len(opened)]
        await client.list_tools()
        counts.append(len(opened))
        for query in ("Bank", "parcel"):
            await client.call_tool("search_documents", {"query": query, "collection": "reports"})
            counts.append(len(opened))
        return counts

    counts = with_client(open_shelf, use, mode=mode)
    assert [count - counts[0] for count in counts] == [0, 1, 2, 3]
    assert [shelf.queries for shelf in opened[-2:]] == [["Bank"], ["parcel"]]


def test_a_search_needs_the_overview_only_for_a_collection() -> None:
    asked: list[str] = []
    shelf = company_shelf()
    shelf.fault = asked.append

    async def use(client: Client) -> None:
        await client.list_tools()
        asked.clear()
        await client.call_tool("search_documents", {"query": "Bank"})
        await client.call_tool("list_documents", {})
        await client.call_tool("get_document", {"source": "notes.txt"})
        await client.call_tool("search_documents", {"query": "Bank", "collection": "reports"})

    with_client(lambda: shelf, use)
    assert asked == [
        "search",
        "indexing",
        "list_documents",
        "indexing",
        "get_document",
        "overview",
        "search",
        "indexing",
    ]


# -- time --------------------------------------------------------------------------------------------------------------


@contextmanager
def stuck(loops: list[LeapingLoop], method: str, seconds: float) -> Iterator[MemoryShelf]:
    """A shelf whose `method` does not return within the block, while the loop's clock leaps ahead."""
    release = threading.Event()
    ended = threading.Event()
    shelf = company_shelf()

    def fault(called: str) -> None:
        if called == method:
            loops[-1].leap(seconds)
            release.wait(30)
            ended.set()

    shelf.fault = fault
    try:
        yield shelf
    finally:
        release.set()
        assert ended.wait(30)


@pytest.fixture
def loops() -> list[LeapingLoop]:
    return []


@pytest.fixture
def loop_factory(loops: list[LeapingLoop]) -> Callable[[], LeapingLoop]:
    def made() -> LeapingLoop:
        loops.append(LeapingLoop())
        return loops[-1]

    return made


@pytest.mark.parametrize("mode", MODES)
def test_a_call_that_takes_too_long_is_a_sentence_and_its_thread_is_left(
    mode: Mode, loops: list[LeapingLoop], loop_factory: Callable[[], LeapingLoop]
) -> None:
    reports: list[CallReport] = []
    with stuck(loops, "search", 26) as shelf:
        answer = with_client(
            lambda: shelf,
            lambda client: text_of(client, "search_documents", {"query": "Bank"}),
            mode=mode,
            seconds=25,
            on_call=reports.append,
            loop_factory=loop_factory,
        )
    assert answer == (
        True,
        "search_documents had no answer within 25 seconds; try again, or ask for less at a time.",
    )
    report = reports[0]
    assert (report.tool, report.is_error, report.error_code, report.hits) == (
        "search_documents",
        True,
        "timed_out",
        None,
    )
    assert 26 <= report.seconds < 60


def test_a_call_that_ends_in_time_is_answered(
    loops: list[LeapingLoop], loop_factory: Callable[[], LeapingLoop]
) -> None:
    shelf = company_shelf()
    shelf.fault = lambda method: loops[-1].leap(20 if method == "search" else 0)
    is_error, text = with_client(
        lambda: shelf,
        lambda client: text_of(client, "search_documents", {"query": "Bank"}),
        seconds=25,
        loop_factory=loop_factory,
    )
    assert not is_error
    assert "Harbour Bank" in text


@pytest.mark.parametrize("mode", MODES)
def test_texts_that_take_too_long_are_those_that_always_hold(
    mode: Mode, loops: list[LeapingLoop], loop_factory: Callable[[], LeapingLoop]
) -> None:
    async def use(client: Client) -> tuple[str, list[str]]:
        tools = (await client.list_tools()).tools
        return client.instructions or "", [tool.description or "" for tool in tools]

    with stuck(loops, "overview", 9) as shelf:
        instructions, descriptions = with_client(lambda: shelf, use, mode=mode, seconds=25, loop_factory=loop_factory)
    # With the version pinned, a client asks for no instructions.
    assert mode == "2026-07-28" or "it cannot be read just now. Of Harbour Ltd." in instructions
    assert len(descriptions) == 4
    assert descriptions[0] == "Search the documents of this shelf and return passages with exact citations."


# -- faults ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [IndexUnavailableError("The index is busy."), ValueError("the secret text")])
def test_whatever_the_shelf_raises_the_tools_are_listed(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    def fault(_method: str) -> None:
        raise error

    shelf = company_shelf()
    shelf.fault = fault

    async def use(client: Client) -> int:
        return len((await client.list_tools()).tools)

    with caplog.at_level(logging.ERROR, logger="docshelf"):
        assert with_client(lambda: shelf, use) == 4
    assert ("overview failed, reference" in caplog.text) == isinstance(error, ValueError)
    assert "secret" not in caplog.text


# -- reports -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "tool", "error_code", "hits"),
    [
        ("search_documents", {"query": "Harbour Bank private"}, "search_documents", None, 2),
        ("search_documents", {"query": "zebra private"}, "search_documents", None, 0),
        ("get_document", {"source": "notes.txt"}, "get_document", None, None),
        ("get_document", {"source": "private.txt"}, "get_document", "not_found", None),
        ("list_documents", {"path_prefix": "private"}, "list_documents", None, None),
        ("list_collections", {}, "list_collections", None, None),
        ("search_documents", {"query": "private", "limit": 99}, "search_documents", "invalid_argument", None),
        ("private_tool", {}, "unknown", "invalid_argument", None),
    ],
)
def test_each_call_is_reported_without_anything_that_the_caller_wrote(
    name: str, arguments: dict[str, object], tool: str, error_code: str | None, hits: int | None
) -> None:
    reports: list[CallReport] = []
    is_error, text = with_client(company_shelf, lambda client: text_of(client, name, arguments), on_call=reports.append)
    assert len(reports) == 1
    report = reports[0]
    assert (report.tool, report.error_code, report.hits) == (tool, error_code, hits)
    assert report.is_error == is_error == (error_code is not None)
    assert report.tokens == estimate(text)
    assert 0 <= report.seconds < 60
    assert "private" not in repr(report)
    assert "notes" not in repr(report)


def test_a_fault_of_ours_is_reported_as_internal() -> None:
    def fault(_method: str) -> None:
        raise ValueError("the secret text")

    shelf = company_shelf()
    shelf.fault = fault
    reports: list[CallReport] = []
    with_client(lambda: shelf, lambda client: text_of(client, "list_collections", {}), on_call=reports.append)
    assert [(report.is_error, report.error_code) for report in reports] == [(True, "internal")]
