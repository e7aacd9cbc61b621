"""What the index says it holds, as a comparison with the source needs it."""

from __future__ import annotations

import hashlib

import pytest

from docshelf.index import versions
from docshelf.index.filters import one_of
from docshelf.index.records import SourceVersion
from docshelf.index.store import Index
from docshelf.states import State
from tests.unit.index.made_up import MOMENT, make

SOURCES = [
    "B",
    "Z/é",
    "Z/é2",
    "a",
    "a b",
    "a/1",
    "a/10",
    "a/2",
    "e\u0301",
    "it's",
    "é",
    "\ue000",
    "\uffff",
    "😀",
    "😀😀",
]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _lose_row(index: Index, source: str) -> None:
    index._documents.delete(one_of("source", [source]))


def _lose_chunks(index: Index, source: str, condition: str = "true") -> None:
    index._chunks.delete(f"{one_of('source', [source])} AND {condition}")


def test_a_stored_version_tells_what_its_row_and_chunks_say(index: Index) -> None:
    index.replace([make("a", ["1", "2"], version="v7"), make("scan", state=State.EMPTY, reason="No text.")])
    assert index.stored_versions(["a", "scan", "never there"]) == {
        "a": SourceVersion("a", "v7", State.INDEXED, False, MOMENT, MOMENT, 2, True, content_sha256=sha256("v7")),
        "scan": SourceVersion("scan", "1", State.EMPTY, False, MOMENT, MOMENT, 0, True, content_sha256=sha256("1")),
    }
    assert index.stored_versions([]) == {}


def test_what_a_crash_can_leave_behind_is_not_consistent(index: Index) -> None:
    names = ["no row", "no chunks", "a chunk less", "chunks of another version", "chunks of no text", "good"]
    index.replace([make(name, ["1", "2"]) for name in names])
    _lose_row(index, "no row")
    _lose_chunks(index, "no chunks")
    _lose_chunks(index, "a chunk less", "ordinal = 1")
    documents = index._documents
    documents.update(where="source = 'chunks of another version'", values={"version": "2"})
    documents.update(where="source = 'chunks of no text'", values={"state": "empty", "chunks": 0})
    stored = index.stored_versions(names)
    assert {source for source, version in stored.items() if version.consistent} == {"good"}
    assert stored["no row"] == SourceVersion("no row", None, None, False, None, None, 2, consistent=False)
    assert [stored[name].chunks for name in names] == [2, 0, 1, 2, 2, 2]
    assert list(index.ordered_versions()) == [stored[name] for name in sorted(names)]


def test_more_sources_than_one_filter_takes_are_asked_in_parts(index: Index) -> None:
    names = [f"{number}.md" for number in range(450)]
    index.replace([make(name, ["x"]) for name in names[::2]])
    assert set(index.stored_versions(names)) == set(names[::2])


@pytest.mark.parametrize("page", [1, 3, 15, 100])
def test_all_versions_come_in_order_in_pages_of_any_size(
    index: Index, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr(versions, "_PAGE_ROWS", page)
    assert sorted(SOURCES, key=str.encode) == SOURCES
    index.replace([make(source, ["x"] * (number % 3 + 1)) for number, source in enumerate(SOURCES)])
    for orphan in ("B", "a b", "a/1", "😀😀"):
        _lose_row(index, orphan)
    found = list(index.ordered_versions())
    assert [version.key for version in found] == SOURCES
    assert [version.key for version in found if not version.consistent] == ["B", "a b", "a/1", "😀😀"]
    assert {version.key: version for version in found} == index.stored_versions(SOURCES)
    for number, source in enumerate(SOURCES):
        assert [version.key for version in index.ordered_versions(after=source)] == SOURCES[number + 1 :]
    assert [version.key for version in index.ordered_versions(after="a/")] == SOURCES[5:]


def test_an_index_without_rows_has_no_versions_but_its_orphans(index: Index) -> None:
    assert list(index.ordered_versions()) == []
    index.replace([make("a", ["1"]), make("b", ["1", "2"])])
    _lose_row(index, "a")
    _lose_row(index, "b")
    assert [(version.key, version.chunks) for version in index.ordered_versions()] == [("a", 1), ("b", 2)]
