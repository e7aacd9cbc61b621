"""The shelves of a server that is still starting."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from docshelf.errors import IndexUnavailableError
from docshelf.local import starting
from docshelf.local.starting import StartingShelves
from docshelf.mcp_server.calls import answer_call
from docshelf.mcp_server.shelf import Shelf
from tests.support.memory_shelf import company_shelf

CALLS: list[Callable[[Shelf], object]] = [
    lambda shelf: shelf.search("bank", collection=None, path_prefix=None, limit=5),
    lambda shelf: shelf.get_document("notes.txt", from_page=None, to_page=None, from_line=None, to_line=None),
    lambda shelf: shelf.list_documents(collection=None, path_prefix=None, state=None, after=None, limit=5),
]


def test_the_overview_of_a_starting_shelf_says_so_at_once() -> None:
    shelf = StartingShelves().open()
    overview = shelf.overview()
    assert overview.collections == ()
    assert overview.progress is not None
    assert "being loaded" in overview.progress.note
    assert "Indexing is under way" in answer_call(shelf, "list_collections", {}).text


def test_every_call_goes_to_the_real_shelf_once_it_is_there() -> None:
    shelves, real = StartingShelves(), company_shelf()
    shelves.ready(lambda: real)
    shelf = shelves.open()
    assert shelf.overview() == real.overview()
    assert shelf.search("Bank", collection=None, path_prefix="reports/", limit=1).passages[0].page == 2
    read = shelf.get_document("handbook/delivery.md", from_page=None, to_page=None, from_line=2, to_line=3)
    assert [segment.first_line for segment in read.segments] == [2, 3]
    listed = shelf.list_documents(
        collection="reports", path_prefix=None, state=None, after="reports/annual.pdf", limit=5
    )
    assert [document.source for document in listed.documents] == ["reports/scan.pdf"]


@pytest.mark.parametrize("call", CALLS)
def test_a_call_waits_for_the_shelf(call: Callable[[Shelf], object]) -> None:
    shelves, results = StartingShelves(), []
    shelf = shelves.open()
    begun = threading.Event()

    def ask() -> None:
        begun.set()
        results.append(call(shelf))

    thread = threading.Thread(target=ask)
    thread.start()
    assert begun.wait(5)
    assert results == []
    shelves.ready(company_shelf)
    thread.join(5)
    assert len(results) == 1


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_waited_long_enough_is_told_to_ask_again(
    call: Callable[[Shelf], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "_WAIT_SECONDS", 0.01)
    with pytest.raises(IndexUnavailableError, match=r"is starting .*ask again"):
        call(StartingShelves().open())


@pytest.mark.parametrize("call", CALLS)
def test_when_there_will_be_no_shelf_calls_end_at_once(call: Callable[[Shelf], object]) -> None:
    shelves = StartingShelves()
    shelves.abandon()
    with pytest.raises(IndexUnavailableError):
        call(shelves.open())


def test_a_shelf_is_opened_once_for_a_request_and_anew_for_the_next() -> None:
    shelves, opened = StartingShelves(), []

    def open_shelf() -> Shelf:
        opened.append(company_shelf())
        return opened[-1]

    shelves.ready(open_shelf)
    assert [shelves.open(), shelves.open()] == opened
    assert len(opened) == 2
