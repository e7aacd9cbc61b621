"""The whole of it: the command on a folder, and a real MCP client that asks it over HTTP."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import pytest
from mcp import Client
from mcp.types import TextContent

from tests.support.commands import EXAMPLES, SECONDS, started, url_from

Mode = Literal["auto", "legacy", "2026-07-28"]
MODES: tuple[Mode, ...] = ("legacy", "2026-07-28")
DEADLINE = 10.0
"""Seconds after which a change must be right in search. The promise is 2 s, on a machine that is not busy."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Served:
    """A running server and the folder that it serves."""

    url: str
    folder: Path
    process: subprocess.Popen[str]

    def ask(self, use: Callable[[Client], Awaitable[Result]], mode: Mode = "2026-07-28") -> Result:
        """Connect a client, use it, and close it."""

        async def run() -> Result:
            async with Client(self.url, mode=mode) as client:
                return await use(client)

        return asyncio.run(run())

    def call(self, tool: str, mode: Mode = "2026-07-28", **arguments: object) -> str:
        """The text that a tool answers; no error."""
        return self.ask(lambda client: text_of(client, tool, arguments), mode)


async def text_of(client: Client, tool: str, arguments: dict[str, object]) -> str:
    result = await client.call_tool(tool, arguments)
    assert len(result.content) == 1
    content = result.content[0]
    assert isinstance(content, TextContent)
    assert not result.is_error, content.text
    return content.text


def sources(answer: str) -> list[str]:
    """The source keys of the passages, best first."""
    return [line.split("] ", 1)[1].split(" | ")[0] for line in answer.splitlines() if line.startswith("[")]


def end(process: subprocess.Popen[str]) -> None:
    """End a server as Ctrl-C does."""
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(SECONDS) == 0
    assert process.stderr
    assert "Traceback" not in process.stderr.read()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The examples, served and wholly indexed."""
    place = tmp_path_factory.mktemp("served")
    folder = place / "examples"
    shutil.copytree(EXAMPLES, folder)
    with started(place / "home", "local", folder, "--port", "0") as process:
        url = url_from(process)
        assert process.stdout
        shown = [process.stdout.readline()]
        while not shown[-1].startswith("empty "):
            assert shown[-1]
            shown.append(process.stdout.readline())
        assert f"    claude mcp add --transport http docshelf {url}\n" in shown
        assert any(": 11 added. " in line for line in shown)
        yield Served(url, folder, process)
        end(process)


# -- the main job --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_the_bank_question_is_answered_by_page_2_of_the_report(served: Served, mode: Mode) -> None:
    answer = served.call("search_documents", mode, query="Which bank provided the loan?")
    first = next(line for line in answer.splitlines() if line.startswith("[1] "))
    assert first.startswith(
        '[1] finance/annual-report-2025.pdf | "Pinewick Instruments annual report 2025" | page 2 | indexed '
    )
    assert "Nordhamn Bank" in answer
    assert "3.85 percent" in answer
    page = served.call("get_document", mode, source="finance/annual-report-2025.pdf", from_page=2, to_page=2)
    assert "Nordhamn Bank" in page
    assert "Outlook" not in page


@pytest.mark.parametrize("mode", MODES)
def test_the_credential_question_finds_the_guide_and_how_to_create_it(served: Served, mode: Mode) -> None:
    answer = served.call("search_documents", mode, query="Which credential does a release need and how do I create it?")
    assert {"delivery/release-guide.md", "access/credentials.md"} <= set(sources(answer))
    named = served.call("search_documents", mode, query="PINEWICK_RELEASE_TOKEN")
    assert {"delivery/release-guide.md", "access/credentials.md"} <= set(sources(named)[:3])
    assert "lines " in named


@pytest.mark.parametrize("mode", MODES)
def test_two_files_of_one_name_are_two_documents(served: Served, mode: Mode) -> None:
    for folder, words in (("delivery", "brings software and devices"), ("access", "Who may use what")):
        text = served.call("get_document", mode, source=f"{folder}/README.md")
        assert words in text
        found = served.call("search_documents", mode, query="README what is this folder about", collection=folder)
        assert f"{folder}/README.md" in sources(found)


def test_the_table_in_the_word_document_is_found_with_its_header(served: Served) -> None:
    answer = served.call("search_documents", query="How many days of leave after five years with the company?")
    assert sources(answer)[0] == "people/leave-policy.docx"
    for cell in ("Days of leave a year", "3 to 7", "28"):
        assert cell in answer


def test_a_question_in_chinese_finds_the_chinese_document(served: Served) -> None:
    answer = served.call("search_documents", query="仪器多少天内可以退货？")
    assert sources(answer)[0] == "support/退货说明.md"
    assert "三十天" in answer


@pytest.mark.parametrize("mode", MODES)
def test_the_scan_is_listed_as_empty_with_its_sentence(served: Served, mode: Mode) -> None:
    listed = served.call("list_documents", mode, state="empty")
    line = next(line for line in listed.splitlines() if line.startswith("archive/signed-lease-scan.pdf"))
    assert "empty (The PDF has no text layer" in line
    states = served.call("list_collections", mode).splitlines()[0]
    assert "10 indexed" in states
    assert "1 empty" in states


def test_the_tools_tell_what_is_on_the_shelf(served: Served) -> None:
    async def texts(client: Client) -> tuple[str, str]:
        tools = await client.list_tools()
        return client.instructions or "", tools.tools[0].description or ""

    modes: tuple[Mode, ...] = ("auto", "legacy")
    for mode in modes:
        for text in served.ask(texts, mode):
            assert "10 documents in 6 collections" in text
            assert "Indexing is under way" not in text


# -- following the folder ------------------------------------------------------------------------------------------


PUMP = "# Note\n\nThe zebrafish pump {}.\n"


async def until(client: Client, query: str, right: Callable[[str], bool], since: float) -> float:
    """Ask until the answer is right; the seconds since then."""
    while True:
        answer = await text_of(client, "search_documents", {"query": query})
        seconds = time.monotonic() - since
        if right(answer):
            return seconds
        assert seconds < DEADLINE, answer


def put(path: Path, text: str) -> None:
    """Write in place, as most editors do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def swap(path: Path, text: str) -> None:
    """Write beside and put into place at once, as careful editors do."""
    beside = path.with_name(f".{path.name}.tmp")
    beside.write_text(text)
    beside.replace(path)


def test_each_kind_of_change_is_right_in_search_within_seconds(
    served: Served, record_property: Callable[[str, object], None]
) -> None:
    folder, elsewhere, moved_in = (served.folder / name for name in ("watched", "elsewhere", "moved in"))
    note, moved = folder / "note.md", folder / "moved.md"

    def first_is(key: str, words: str) -> Callable[[str], bool]:
        return lambda answer: sources(answer)[:1] == [key] and words in answer

    def none_below(prefix: str) -> Callable[[str], bool]:
        return lambda answer: not any(source.startswith(prefix) for source in sources(answer))

    def moved_from(prefix: str, key: str) -> Callable[[str], bool]:
        return lambda answer: key in sources(answer) and none_below(prefix)(answer)

    steps: list[tuple[str, Callable[[], object], str, Callable[[str], bool]]] = [
        ("new file", lambda: put(note, PUMP.format("hums")), "zebrafish pump", first_is("watched/note.md", "hums")),
        ("saved", lambda: put(note, PUMP.format("drips")), "zebrafish pump", first_is("watched/note.md", "drips")),
        ("replaced", lambda: swap(note, PUMP.format("rests")), "zebrafish pump", first_is("watched/note.md", "rests")),
        ("renamed", lambda: note.rename(moved), "zebrafish pump", moved_from("watched/note", "watched/moved.md")),
        (
            "directory renamed",
            lambda: folder.rename(elsewhere),
            "zebrafish pump",
            moved_from("watched/", "elsewhere/moved.md"),
        ),
        ("deleted", (elsewhere / moved.name).unlink, "zebrafish pump", none_below("elsewhere/")),
        ("many files moved in", lambda: many(moved_in), "walrus 17", moved_from("outside/", "moved in/17.md")),
        ("directory deleted", lambda: shutil.rmtree(moved_in), "walrus 17", none_below("moved in/")),
    ]

    async def follow(client: Client) -> None:
        for name, change, query, right in steps:
            change()
            seconds = await until(client, query, right, time.monotonic())
            record_property(name, round(seconds, 2))
            print(f"{name}: {seconds:.2f} s")

    served.ask(follow)


def many(moved_in: Path) -> None:
    """Make a directory of 40 files beside the folder and move it in."""
    outside = moved_in.parents[1] / "outside"
    for number in range(40):
        put(outside / f"{number}.md", f"# Walrus {number}\n\nWalrus {number} sleeps on ice floe {number}.\n")
    outside.rename(moved_in)


def test_a_change_during_the_first_scan_is_found_before_the_scan_ends(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    folder = tmp_path / "docs"
    text = "The river gauge measures the level of the water at the bridge, every ten minutes. " * 40
    for number in range(200):
        put(folder / f"part{number % 3}" / f"{number:03}.md", f"# File {number}\n\n{number} {text}\n")
    put(folder / "zz/last.md", "# Last\n\nNothing yet.\n")

    async def follow(client: Client) -> None:
        while "0 collections" in await text_of(client, "list_collections", {}):
            assert process.poll() is None
        put(folder / "zz/last.md", PUMP.format("hums"))
        written = time.monotonic()
        seconds = await until(client, "zebrafish pump", lambda answer: sources(answer)[:1] == ["zz/last.md"], written)
        record_property("during a scan", round(seconds, 2))
        print(f"during a scan: {seconds:.2f} s")
        assert "Indexing is under way" in await text_of(client, "list_collections", {})

    with started(tmp_path / "home", "local", folder, "--port", "0") as process:
        Served(url_from(process), folder, process).ask(follow)
        end(process)


def test_a_server_without_watching_keeps_what_it_indexed(tmp_path: Path) -> None:
    put(tmp_path / "docs/one.md", "# One\n\nThe lighthouse keeper is called Ms Holm.\n")
    with started(tmp_path / "home", "local", tmp_path / "docs", "--port", "0", "--no-watch") as process:
        served = Served(url_from(process), tmp_path / "docs", process)
        assert process.stdout
        while not process.stdout.readline().startswith("indexed "):
            assert process.poll() is None
        assert sources(served.call("search_documents", query="lighthouse keeper")) == ["one.md"]
        end(process)
