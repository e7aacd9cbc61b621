"""Indexes held in memory: what a search costs object storage then, and what keeps it right."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import pytest
from lancedb.table import LanceTable, Table

from docshelf.errors import IndexUnavailableError
from docshelf.index.engine import open_tables
from docshelf.index.identity import IndexIdentity
from docshelf.index.live import LiveIndex
from docshelf.index.location import Location
from docshelf.index.store import Index
from docshelf.index.table_indexes import VECTOR_INDEX_FROM_ROWS
from docshelf.index.traffic import Traffic, count_traffic, traffic
from tests.support.cloud import Cloud
from tests.support.hits import text_hits, vector_hits
from tests.unit.index.made_up import make, vector_of

DOCUMENTS = 40
CHUNKS = VECTOR_INDEX_FROM_ROWS // DOCUMENTS + 1


def filled(place: Path | str, identity: IndexIdentity) -> Index:
    """An index that is large enough for a vector index."""
    index = Index.open_or_create(place, identity)
    index.replace(
        [make(f"{number}.md", [f"fox {number} x{chunk}" for chunk in range(CHUNKS)]) for number in range(DOCUMENTS)]
    )
    index.maintain(force=True)
    return index


class Counter:
    """Requests since the last time that it was asked."""

    def __init__(self) -> None:
        assert count_traffic()
        self._before = traffic()

    def taken(self) -> Traffic:
        now = traffic()
        before, self._before = self._before, now
        return now.since(before)


def test_a_warm_search_asks_for_the_rows_of_its_answer_alone(cloud: Cloud, identity: IndexIdentity) -> None:
    filled(cloud.index, identity)
    index = LiveIndex(cloud.index).current()
    assert index.warm()
    counter = Counter()
    rows = [hit.row for hit in index.text_candidates("fox x7", 50)]
    rows += [hit.row for hit in index.vector_candidates(vector_of("fox 3 x7"), 50)]
    assert counter.taken() == Traffic(0, 0)
    assert len(index.chunks_at(rows[:5])) == 5
    found = counter.taken()
    assert 1 <= found.requests <= 5
    assert found.bytes < 100_000
    assert not index.warm()
    assert counter.taken().requests == 0


def test_new_indexes_are_held_in_place_of_the_old_and_commits_change_nothing(
    cloud: Cloud, identity: IndexIdentity
) -> None:
    writer = filled(cloud.index, identity)
    live = LiveIndex(cloud.index)
    assert live.current().warm()
    writer.replace([make("new.md", ["a wolf"])])
    reader = live.current()
    assert not reader.warm()
    assert [hit.chunk.text for hit in text_hits(reader, "wolf", 5)] == ["a wolf"]
    writer.maintain(force=True)
    reader = live.current()
    assert reader.warm()
    assert [hit.chunk.text for hit in text_hits(reader, "wolf", 5)] == ["a wolf"]
    assert vector_hits(reader, vector_of("a wolf"), 1)[0].chunk.text == "a wolf"
    counter = Counter()
    reader.vector_candidates(vector_of("x"), 10)
    assert counter.taken().requests == 0


def test_what_does_not_fit_is_left_where_it_is(tmp_path: Path, identity: IndexIdentity) -> None:
    index = filled(tmp_path, identity)
    assert not index.warm(most_chunks=DOCUMENTS * CHUNKS - 1)
    assert index.warm(most_chunks=DOCUMENTS * CHUNKS)


def test_an_empty_index_and_one_without_a_vector_index_can_be_warmed(tmp_path: Path, identity: IndexIdentity) -> None:
    index = Index.create(tmp_path, identity)
    assert index.warm()
    assert not index.warm()
    index.replace([make("a.md", ["a fox"])])
    index.warm()
    assert vector_hits(index, vector_of("a fox"), 1)[0].chunk.text == "a fox"


def test_indexes_that_were_replaced_are_let_go_at_once(tmp_path: Path, identity: IndexIdentity) -> None:
    writer = filled(tmp_path, identity)
    reader = Index.open(tmp_path)
    gc.collect()
    gc.disable()
    try:
        handles = sum(isinstance(one, LanceTable) for one in gc.get_objects())
        for turn in range(3):
            writer.replace([make("new.md", [f"wolf {turn}"], version=str(turn))])
            writer.maintain(force=True)
            reader.refresh()
            assert reader.warm()
            assert sum(isinstance(one, LanceTable) for one in gc.get_objects()) == handles
    finally:
        gc.enable()


def test_an_index_that_the_cache_cannot_hold_is_searched_all_the_same(
    tmp_path: Path, identity: IndexIdentity, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path, identity)
    monkeypatch.setattr("docshelf.index.engine._INDEX_CACHE_BYTES", 10_000)
    index = Index.open(tmp_path)
    assert index.warm()
    assert not index.warm()
    assert text_hits(index, "fox x7", 5)[0].chunk.text.endswith(" x7")
    assert vector_hits(index, vector_of("fox 3 x7"), 5)[0].chunk.text == "fox 3 x7"


def test_a_commit_seen_while_the_indexes_are_renewed_stays_seen(
    tmp_path: Path, identity: IndexIdentity, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = filled(tmp_path, identity)
    reader = Index.open(tmp_path)
    reader.warm()
    writer.replace([make("new.md", ["a wolf"])])
    writer.maintain(force=True)
    reader.refresh()

    def opened_before_a_commit(place: Location) -> tuple[Table, Table]:
        tables = open_tables(place)
        writer.replace([make("late.md", ["a lynx"])])
        reader.refresh()
        return tables

    monkeypatch.setattr("docshelf.index.warming.open_tables", opened_before_a_commit)
    version_before = reader.version
    assert reader.warm()
    assert reader.version != version_before
    assert [hit.chunk.text for hit in text_hits(reader, "lynx", 5)] == ["a lynx"]


def test_scores_are_cosines_within_and_outside_of_the_index(tmp_path: Path, identity: IndexIdentity) -> None:
    index = filled(tmp_path, identity)
    query = vector_of("fox 3 x7")
    for _ in range(2):
        hits = vector_hits(index, query, 20)
        exact = [float(query @ vector_of(hit.chunk.text)) for hit in hits]
        assert [hit.score for hit in hits] == pytest.approx(exact, abs=0.05)
        assert hits[0].chunk.text == "fox 3 x7"
        index.replace([make("near.md", [f"near {number}" for number in range(30)])])


def test_a_reading_that_another_version_disturbed_is_done_again(tmp_path: Path, identity: IndexIdentity) -> None:
    index = filled(tmp_path, identity)
    calls: list[int] = []

    def disturbed(times: int) -> int:
        calls.append(len(calls))
        if len(calls) <= times:
            index.replace([make("a.md", ["a fox"], version=str(len(calls)))])
        return len(calls)

    assert index.steady(lambda: disturbed(2)) == 3
    calls.clear()
    with pytest.raises(IndexUnavailableError, match="changes faster"):
        index.steady(lambda: disturbed(100))


def test_rows_are_those_of_the_hits_while_another_thread_writes_and_compacts(
    tmp_path: Path, identity: IndexIdentity
) -> None:
    index = filled(tmp_path, identity)
    ended = threading.Event()
    words = [f"word{letter}" for letter in "abcdefgh"]
    index.replace([make(f"{word}.md", [f"{word} {number}" for number in range(3)]) for word in words])

    def write() -> None:
        for turn in range(12):
            word = words[turn % len(words)]
            index.replace([make(f"{word}.md", [f"{word} {turn} {number}" for number in range(3)], version=str(turn))])
            if turn % 3 == 2:
                index.maintain(force=True)
        ended.set()

    thread = threading.Thread(target=write)
    thread.start()
    looks = 0
    while not ended.is_set() or looks < len(words):
        word = words[looks % len(words)]
        hits = text_hits(index, word, 5)
        assert [hit.chunk.source for hit in hits] == [f"{word}.md"] * 3
        assert all(hit.chunk.text.startswith(word) for hit in hits)
        index.warm()
        looks += 1
    thread.join()
    assert looks >= len(words)
