"""Stop words are left out of queries, never out of the index."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.index.stop_words import without_stop_words
from docshelf.index.store import Index
from tests.support.hits import text_hits
from tests.unit.index.made_up import make


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("How do I reset the password?", "reset password?"),
        ("the of and", "the of and"),
        ("What is it?", "What is it?"),
        ("I/O of the disk", "I/O disk"),
        ("git push --no verify", "git push --no verify"),
        ("a WHERE clause with NOT", "WHERE clause NOT"),
        ("HOW TO RESTORE", "RESTORE"),
        ("don't panic", "don't panic"),
        ("end-to-end tests", "end-to-end tests"),
        ("", ""),
    ],
)
def test_words_that_say_nothing_are_left_out_of_a_query(query: str, left: str) -> None:
    assert without_stop_words(query) == left


@pytest.mark.parametrize(
    ("query", "language", "left"),
    [
        ("Wie viele Punkte gab die Verteidigung ab?", "de", "Punkte gab Verteidigung ab?"),
        ("¿Cuál es la capital?", "es", "capital?"),
        ("Какой банк выдал кредит", "ru", "банк выдал кредит"),
        ("die process of it", "en", "die process"),
        ("what of 北京", "zh", "北京"),
        ("what to do", None, "what to do"),
    ],
)
def test_stop_words_are_those_of_the_language(query: str, language: str | None, left: str) -> None:
    assert without_stop_words(query, language) == left


@given(st.text(st.sampled_from("the not IO-/. ab"), max_size=60))
def test_a_query_never_becomes_empty_nor_gets_other_words(query: str) -> None:
    left = without_stop_words(query).split()
    assert bool(left) == bool(query.split())
    assert [word for word in query.split() if word in left] == left or set(left) <= set(query.split())


@pytest.mark.parametrize("query", ["I/O", "end-to-end", "don't", "do while", "NOT", "the who"])
def test_what_is_made_of_common_words_is_found(index: Index, query: str) -> None:
    index.replace([make("right.md", [f"About {query} here."]), make("other.md", ["Nothing of it."])])
    assert text_hits(index, query, 5)[0].chunk.source == "right.md"
    index.maintain(force=True)
    assert text_hits(index, query, 5)[0].chunk.source == "right.md"
