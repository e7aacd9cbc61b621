"""Maintenance changes speed and size, never results; nor does it disturb others' handles."""

from __future__ import annotations

import string
import threading
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from docshelf.errors import IndexCorruptError
from docshelf.index import maintenance, table_commit
from docshelf.index.store import Index
from tests.support.hits import Hit, phrase_hits, text_hits, vector_hits
from tests.unit.index.made_up import make, vector_of

LETTERS = string.ascii_lowercase
AT_ONCE = timedelta(milliseconds=1)


def ids(candidates: list[Hit]) -> list[str]:
    return [candidate.chunk.chunk_id for candidate in candidates]


def fragments(index: Index) -> int:
    statistics = cast("Mapping[str, Mapping[str, int]]", index._chunks.stats())
    return statistics["fragment_stats"]["num_fragments"]


def test_nothing_is_done_before_it_pays(index: Index) -> None:
    assert not index.maintain()
    index.replace([make("a.md", ["x"])])
    version = index.version
    assert not index.maintain()
    assert index.version == version


def test_many_commits_are_merged(index: Index) -> None:
    for number in range(25):
        index.replace([make(f"{number}.md", [f"word{LETTERS[number]} fox"])])
    before = text_hits(index, "fox", 50)
    assert index.maintain()
    assert not index.maintain()
    assert fragments(index) <= 2
    assert sorted(ids(text_hits(index, "fox", 50))) == sorted(ids(before))
    assert ids(text_hits(index, "wordh", 5)) == ["7.md#00000000"]


def test_many_rows_outside_the_full_text_index_are_taken_in(index: Index) -> None:
    index.replace([make("a.md", [f"fox {number}" for number in range(600)])])
    assert index.maintain()
    statistics = index._chunks.index_stats("search_text_idx")
    assert statistics is not None
    assert (statistics.num_indexed_rows, statistics.num_unindexed_rows) == (600, 0)
    assert len(text_hits(index, "fox", 700)) == 600


def test_replacing_and_maintaining_in_turn_keeps_everything_findable(index: Index, root: Path) -> None:
    reader = Index.open(root)
    for turn in range(8):
        index.replace(
            [
                make(f"{n}.md", [f"turn{LETTERS[turn]} x{LETTERS[n]}z", ""], version=f"{turn}")
                for n in range(turn, turn + 5)
            ]
        )
        index.maintain(force=True, keep_versions=timedelta(minutes=5))
        reader.refresh()
        assert len(text_hits(reader, f"turn{LETTERS[turn]}", 20)) == 5
        assert len(phrase_hits(reader, f"turn{LETTERS[turn]} x{LETTERS[turn]}z", 20)) == 1
    assert len(text_hits(reader, "turna", 20)) == 1


def test_handles_survive_the_clean_up_of_their_version(index: Index, root: Path) -> None:
    index.replace([make("a.md", ["the old text"]), make("b.md", ["another"])])
    warm, unused = Index.open(root), Index.open(root)
    assert ids(text_hits(warm, "old", 5)) == ["a.md#00000000"]
    for number in range(5):
        index.replace([make("a.md", [f"new {number}"], version=str(number))])
    assert index.maintain(force=True, keep_versions=AT_ONCE)
    # Without a refresh its files are gone: it moves on by itself.
    assert [chunk.text for chunk in unused.chunks_of("a.md")] == ["new 4"]
    # What this one has read it may still have in memory.
    assert [chunk.text for chunk in warm.chunks_of("a.md")] in (["the old text"], ["new 4"])
    warm.refresh()
    for reader in (unused, warm):
        assert [chunk.text for chunk in reader.chunks_of("a.md")] == ["new 4"]
        assert ids(text_hits(reader, "new", 5)) == ["a.md#00000000"]
        assert ids(vector_hits(reader, vector_of("new 4"), 1)) == ["a.md#00000000"]
        assert {item.key for item in reader.ordered_versions()} == {"a.md", "b.md"}


def test_old_versions_are_cleaned_up(index: Index) -> None:
    for number in range(10):
        index.replace([make("a.md", [f"{number} " + "x" * 20_000], version=str(number))])
    before = index.size_bytes()
    index.maintain(force=True, keep_versions=AT_ONCE)
    assert index.size_bytes() < before / 2


def test_the_vector_index_is_made_in_time_rebuilt_in_time_and_finds_the_nearest(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "VECTOR_INDEX_FROM_ROWS", 1_000)
    monkeypatch.setattr(maintenance, "_MANY_VECTOR_SEGMENTS", 2)
    texts = [f"text {number}" for number in range(1_500)]
    index.replace([make("a.md", texts[:900])])
    index.maintain(force=True)
    assert index._chunks.index_stats("vector_idx") is None
    index.replace([make("b.md", texts[900:])])
    assert index.maintain(force=True)
    matrix = np.stack([vector_of(text) for text in texts])
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    for turn in range(4):
        statistics = index._chunks.index_stats("vector_idx")
        assert statistics is not None
        assert statistics.num_indexed_rows == 1_500 + turn
        assert (statistics.num_indices or 0) <= 3
        common = 0
        for place in range(0, 1_500, 150):
            nearest = [texts[found] for found in np.argsort(-(matrix @ matrix[place]))[:10]]
            candidates = vector_hits(index, matrix[place], 10)
            common += len(set(nearest) & {candidate.chunk.text for candidate in candidates})
            assert candidates[0].chunk.text == texts[place]
        assert common >= 85
        index.replace([make(f"more{turn}.md", [f"more {turn}"])])
        assert ids(vector_hits(index, vector_of(f"more {turn}"), 1)) == [f"more{turn}.md#00000000"]
        index.maintain(force=True)


def test_maintenance_beside_commits_loses_nothing_and_keeps_no_commit_waiting(index: Index, root: Path) -> None:
    stop, rounds = threading.Event(), list[bool]()

    def maintain() -> None:
        while not stop.is_set():
            rounds.append(index.maintain(force=True))

    maintaining = threading.Thread(target=maintain)
    maintaining.start()
    for number in range(40):
        source = f"{number % 8}.md"
        index.replace([make(source, [f"fox {number} {part}" for part in range(number % 5 + 1)], version=f"v{number}")])
    stop.set()
    maintaining.join()
    assert any(rounds)
    index.maintain(force=True, keep_versions=AT_ONCE)
    for handle in (index, Index.open(root)):
        assert handle.inconsistent_keys() == set()
        for number in range(32, 40):
            chunks = handle.chunks_of(f"{number % 8}.md")
            assert {chunk.version for chunk in chunks} == {f"v{number}"}
            assert len(chunks) == number % 5 + 1
        assert len(text_hits(handle, "fox", 100)) == sum(number % 5 + 1 for number in range(32, 40))


def test_maintenance_ends_in_time_and_leaves_a_healthy_index(index: Index, root: Path) -> None:
    for number in range(30):
        index.replace([make(f"{number % 10}.md", [f"fox {number} {part}" for part in range(20)], version=f"v{number}")])
    assert not index.maintain(force=True, seconds=0)
    assert fragments(index) == 10
    for milliseconds in (1, 5, 10, 20, 40, 80, 160):
        index.maintain(force=True, seconds=milliseconds / 1_000)
        index.replace([make("0.md", [f"fox after {milliseconds}"], version=f"after {milliseconds}")])
        for handle in (index, Index.open(root)):
            assert all(version.consistent for version in handle.ordered_versions())
            assert [chunk.text for chunk in handle.chunks_of("0.md")] == [f"fox after {milliseconds}"]
            assert len(text_hits(handle, "fox", 300)) == 181
    assert index.maintain(force=True, seconds=60, keep_versions=AT_ONCE)
    assert fragments(index) <= 2
    assert len(text_hits(Index.open(root), "fox", 300)) == 181


def test_an_index_is_measured(index: Index) -> None:
    assert index.measurements().versions == 2 + 1 + 6
    for number in range(3):
        index.replace([make("a.md", ["x", f"y {number}"], version=f"{number}"), make(f"{number}.md", ["z"])])
    measured = index.measurements()
    assert (measured.documents, measured.chunks, measured.unindexed_rows) == (4, 5, 5)
    assert (measured.fragments, measured.small_fragments) == (6, 3)
    assert measured.versions == 2 + 1 + 6 + 6
    assert measured.bytes == index.size_bytes()
    index.maintain(force=True, keep_versions=AT_ONCE)
    after = index.measurements()
    assert (after.documents, after.chunks, after.unindexed_rows) == (4, 5, 0)
    assert after.fragments < measured.fragments
    assert after.versions < measured.versions


@pytest.mark.parametrize(("text", "damaged"), [("Retryable commit conflict for version 3", False), ("odd", True)])
def test_what_commits_of_others_keep_from_being_done_is_left_to_the_next_call(
    index: Index, monkeypatch: pytest.MonkeyPatch, text: str, *, damaged: bool
) -> None:
    async def failing(*_: object) -> bool:
        raise RuntimeError(text)

    monkeypatch.setattr(table_commit, "_LONGEST_FIRST_PAUSE", 0)
    monkeypatch.setattr(maintenance, "_optimize", failing)
    if damaged:
        with pytest.raises(IndexCorruptError):
            index.maintain(force=True)
    else:
        assert not index.maintain(force=True)
