"""Whether a ranking answers a query at all."""

from __future__ import annotations

import pytest

from docshelf.search.query import plan
from docshelf.search.relevance import message_for, relevant
from docshelf.search.retrieval import Ranking

MINILM, OTHER = "all-minilm-l6-v2", "bge-small-en-v1.5"


def ranking(similarity: float | None, *, words: bool, query: str = "a question") -> Ranking:
    return Ranking((), plan(query, 1.0), similarity, words=words)


@pytest.mark.parametrize("similarity", [None, -0.2, 0.9])
def test_words_of_the_query_are_enough(similarity: float | None) -> None:
    assert relevant(ranking(similarity, words=True), MINILM)


@pytest.mark.parametrize(
    ("similarity", "model", "answers"),
    [
        (0.6, MINILM, True),
        (0.05, MINILM, False),
        (None, MINILM, False),
        (0.1, OTHER, True),
        (None, OTHER, False),
    ],
)
def test_without_words_a_neighbour_must_be_near(similarity: float | None, model: str, answers: bool) -> None:
    assert relevant(ranking(similarity, words=False), model) is answers


@pytest.mark.parametrize(
    ("query", "found", "beginning"),
    [
        ("how do I return a gauge", False, "Nothing relevant"),
        ("退货", False, "Nothing relevant"),
        ("42", False, "Nothing relevant"),
        ("how do I return a gauge", True, "No document holds a word of this query"),
        ("?!", False, "The query holds no words"),
        ("🎉", False, "The query holds no words"),
        ("\0 \t", False, "The query holds no words"),
    ],
)
def test_the_sentence_tells_no_words_from_no_hits_and_from_weak_ones(query: str, found: bool, beginning: str) -> None:
    sentence = message_for(ranking(0.3, words=False, query=query), found=found)
    assert sentence is not None
    assert sentence.startswith(beginning)
    assert sentence.endswith(".")


def test_an_answer_with_words_of_the_query_needs_no_sentence() -> None:
    assert message_for(ranking(0.3, words=True), found=True) is None
