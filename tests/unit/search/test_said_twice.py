"""Passages that say the same do not fill an answer: the others are noted with the one that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.index.records import StoredChunk
from docshelf.mcp_server.shelf import Passage
from docshelf.search.near_duplicates import fingerprint
from docshelf.search.passages import passages
from docshelf.search.retrieval import RankedRow
from tests.unit.search.made_up import MOMENT, chunk

NOTICE = "This page is part of the manual of the gauge and may be copied freely by everybody.\n"


def found(*hits: tuple[StoredChunk, float], limit: int = 5) -> tuple[Passage, ...]:
    """Passages of hits, best first; chunks of one document lie in neighbouring rows."""
    documents = list(dict.fromkeys(one.source for one, _ in hits))
    rows = {1_000 * documents.index(one.source) + one.ordinal: (one, score) for one, score in hits}

    def load(wanted: Sequence[int]) -> dict[int, StoredChunk]:
        return {row: rows[row][0] for row in wanted}

    return passages([RankedRow(row, score) for row, (_, score) in rows.items()], load, limit)


def falling(*chunks: StoredChunk) -> list[tuple[StoredChunk, float]]:
    return [(one, 0.9**place) for place, one in enumerate(chunks)]


def told(answer: Sequence[Passage]) -> list[tuple[str, tuple[str, ...]]]:
    return [(passage.source, passage.also_in) for passage in answer]


def test_copies_take_one_place_and_the_best_scored_is_shown() -> None:
    copies = [chunk(2, NOTICE, source) for source in ("old/a.md", "a.zip!/a.md", "a.md")]
    answer = found(*falling(*copies, chunk(0, source="b.md")), limit=2)
    assert told(answer) == [("old/a.md", ("a.zip!/a.md", "a.md")), ("b.md", ())]


def test_rows_are_loaded_until_what_is_new_fills_the_answer() -> None:
    copies = [chunk(2, NOTICE, f"copy{number}.md") for number in range(30)]
    answer = found(*falling(*copies, chunk(0, source="b.md")), limit=2)
    assert [passage.source for passage in answer] == ["copy0.md", "b.md"]
    assert len(answer[0].also_in) == 29


NEWER = MOMENT + timedelta(days=1)


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        (replace(chunk(2, NOTICE, "a.zip!/a.md"), modified_at=NEWER), chunk(2, NOTICE, "folder/with/a.md")),
        (chunk(2, NOTICE, "a.md"), replace(chunk(2, NOTICE, "longer.md"), modified_at=NEWER)),
        (replace(chunk(2, NOTICE, "a.md"), modified_at=None), chunk(2, NOTICE, "longer.md")),
        (chunk(2, NOTICE, "longer.md"), chunk(2, NOTICE, "z.md")),
        (chunk(2, NOTICE, "b.md"), chunk(2, NOTICE, "a.md")),
    ],
    ids=["loose", "newer", "of a known time", "shorter", "first by name"],
)
def test_of_copies_with_equal_scores_one_is_shown_whatever_their_order(worse: StoredChunk, better: StoredChunk) -> None:
    for hits in ((worse, better), (better, worse)):
        assert told(found(*((one, 0.8) for one in hits))) == [(better.source, (worse.source,))]
    assert told(found((worse, 0.81), (better, 0.8))) == [(worse.source, (better.source,))]


def test_what_is_said_twice_in_one_document_is_shown_once_and_names_no_other_source() -> None:
    answer = found(*falling(chunk(2, NOTICE), chunk(9, NOTICE), chunk(0, source="b.md")))
    assert told(answer) == [("a.md", ()), ("b.md", ())]


def test_a_source_is_named_once_however_often_it_says_the_same() -> None:
    answer = found(*falling(chunk(2, NOTICE), chunk(2, NOTICE, "b.md"), chunk(9, NOTICE, "b.md")))
    assert told(answer) == [("a.md", ("b.md",))]


def test_a_copy_of_joined_neighbours_is_noted_as_a_whole() -> None:
    hits = [(replace(chunk(ordinal), source=source), 0.9) for source in ("a.md", "copy.md") for ordinal in (4, 5)]
    (passage,) = found(*hits)
    assert passage.text == "first of 4\nsecond of 4\nfirst of 5\nsecond of 5"
    assert (passage.source, passage.also_in) == ("a.md", ("copy.md",))


def test_a_copy_that_goes_on_otherwise_is_shown_as_well() -> None:
    same = [replace(chunk(4), source=source) for source in ("a.md", "b.md")]
    answer = found((same[0], 0.9), (same[1], 0.89), (chunk(5, source="b.md"), 0.88))
    assert told(answer) == [("a.md", ()), ("b.md", ())]
    assert "first of 5 in b.md" in answer[1].text


def test_a_document_and_its_copy_have_one_share_of_the_answer() -> None:
    texts = [f"{NOTICE} Part {number}.\n" for number in range(4)]
    flood = [chunk(10 * number, text, source) for number, text in enumerate(texts) for source in ("a.md", "copy.md")]
    others = [chunk(0, source=f"{name}.md") for name in "wxyz"]
    answer = found(*falling(*flood, *others))
    assert sorted(told(answer)) == [("a.md", ("copy.md",)), *((f"{name}.md", ()) for name in "wxyz")]


@pytest.mark.parametrize(
    ("one", "value"),
    [
        ("- 1.2.3: fixes the reading of empty pages in the tables of the manual.", "1.2.3"),
        ("| timeout | 30 | seconds until an open connection is closed by the server |", "30"),
        ("Call it with --force to write over files that are already there in the folder.", "--force"),
    ],
    ids=["changelog", "table", "flag"],
)
def test_what_differs_in_a_value_is_shown_beside_the_other(one: str, value: str) -> None:
    answer = found(*falling(chunk(2, one), chunk(2, one.replace(value, "--9.9"), "b.md")))
    assert told(answer) == [("a.md", ()), ("b.md", ())]


HITS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9), st.integers(80, 100)), max_size=18)
COPIES = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x/", "z.zip!/", "v2/"])), unique=True, max_size=5)


@given(HITS, COPIES, st.integers(1, 10), st.booleans())
def test_copies_cost_no_place_and_no_source_is_lost(
    hits: list[tuple[str, int, int]], copies: list[tuple[str, str]], limit: int, equal: bool
) -> None:
    scored: dict[tuple[str, str, int], float] = {}
    for name, ordinal, score in hits:
        for place, folder in enumerate(["", *(folder for copied, folder in copies if copied == name)]):
            scored.setdefault((folder, name, ordinal), score / 100 - (0 if equal else place / 1_000))
    ordered = sorted(scored.items(), key=lambda pair: -pair[1])
    texts = {key: f"{NOTICE} {key[1]} says {key[2]}.\n" for key in scored}
    with_copies = [(chunk(key[2], texts[key], f"{key[0]}{key[1]}.md"), score) for key, score in ordered]
    # The same hits with texts that all differ: what the answer would be if nothing were merged.
    unlike = [(replace(one, text=f"{one.text} In {one.source}.\n"), score) for one, score in with_copies]

    answer = found(*with_copies, limit=limit)
    assert len(answer) <= limit
    assert len({fingerprint(passage.text) for passage in answer}) == len(answer)
    for passage in answer:
        assert passage.source not in passage.also_in
        assert len(set(passage.also_in)) == len(passage.also_in)
    present = {source for passage in answer for source in (passage.source, *passage.also_in)}
    assert {passage.source for passage in found(*unlike, limit=limit)} <= present
    assert [passage.score for passage in answer] == sorted((passage.score for passage in answer), reverse=True)
