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

from docshelf.index import maintenance
from docshelf.index.records import Candidate
from docshelf.index.store import Index
from tests.unit.index.made_up import make, vector_of

LETTERS = string.ascii_lowercase
AT_ONCE = timedelta(milliseconds=1)


def ids(candidates: list[Candidate]) -> list[str]:
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
    before = index.text_candidates("fox", 50)
    assert index.maintain()
    assert not index.maintain()
    assert fragments(index) <= 2
    assert sorted(ids(index.text_candidates("fox", 50))) == sorted(ids(before))
    assert ids(index.text_candidates("wordh", 5)) == ["7.md#00000000"]


def test_many_rows_outside_the_full_text_index_are_taken_in(index: Index) -> None:
    index.replace([make("a.md", [f"fox {number}" for number in range(600)])])
    assert index.maintain()
    statistics = index._chunks.index_stats("search_text_idx")
    assert statistics is not None
    assert (statistics.num_indexed_rows, statistics.num_unindexed_rows) == (600, 0)
    assert len(index.text_candidates("fox", 700)) == 600


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
        assert len(reader.text_candidates(f"turn{LETTERS[turn]}", 20)) == 5
        assert len(reader.phrase_candidates(f"turn{LETTERS[turn]} x{LETTERS[turn]}z", 20)) == 1
    assert len(reader.text_candidates("turna", 20)) == 1


def test_a_warm_handle_survives_the_clean_up_of_its_version(index: Index, root: Path) -> None:
    index.replace([make("a.md", ["the old text"]), make("b.md", ["another"])])
    reader = Index.open(root)
    assert ids(reader.text_candidates("old", 5)) == ["a.md#00000000"]
    for number in range(5):
        index.replace([make("a.md", [f"new {number}"], version=str(number))])
    index.maintain(force=True, keep_versions=AT_ONCE)
    # Without a refresh its files are gone: it moves on by itself.
    assert [chunk.text for chunk in reader.chunks_of("a.md")] == ["new 4"]
    assert ids(reader.text_candidates("new", 5)) == ["a.md#00000000"]
    assert ids(reader.vector_candidates(vector_of("new 4"), 1)) == ["a.md#00000000"]
    assert {item.source for item in reader.iterate_versions()} == {"a.md", "b.md"}


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
            candidates = index.vector_candidates(matrix[place], 10)
            common += len(set(nearest) & {candidate.chunk.text for candidate in candidates})
            assert candidates[0].chunk.text == texts[place]
        assert common >= 85
        index.replace([make(f"more{turn}.md", [f"more {turn}"])])
        assert ids(index.vector_candidates(vector_of(f"more {turn}"), 1)) == [f"more{turn}.md#00000000"]
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
        assert handle.inconsistent_sources() == set()
        for number in range(32, 40):
            chunks = handle.chunks_of(f"{number % 8}.md")
            assert {chunk.version for chunk in chunks} == {f"v{number}"}
            assert len(chunks) == number % 5 + 1
        assert len(handle.text_candidates("fox", 100)) == sum(number % 5 + 1 for number in range(32, 40))
