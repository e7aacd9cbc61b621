"""Whether a ranking answers a query at all."""

from __future__ import annotations

import pytest

from docshelf.mcp_server.shelf import Passage
from docshelf.search.query import plan
from docshelf.search.relevance import covered, message_for, relevant
from docshelf.search.retrieval import Ranking

MINILM, OTHER = "all-minilm-l6-v2", "bge-small-en-v1.5"
QUERY = "how is the blue gauge returned safely"


def ranking(similarity: float | None, *, words: bool, query: str = QUERY) -> Ranking:
    return Ranking((), plan(query, 1.0), similarity, words=words)


def passage(text: str) -> tuple[Passage, ...]:
    return (Passage("a.md", "Title", text, 1.0),)


@pytest.mark.parametrize(
    ("similarity", "text", "model", "answers"),
    [
        (0.6, "nothing of it", MINILM, True),
        (0.2, "one gauge", MINILM, False),
        (0.2, "blue gauges return", MINILM, True),
        (None, "one gauge", MINILM, True),
        (None, "something else", MINILM, False),
        (0.2, "something else", OTHER, True),
    ],
    ids=["near", "far", "far with the words", "no vector", "no vector and no words", "a model without a cut"],
)
def test_a_passage_answers_by_nearness_or_by_words(
    similarity: float | None, text: str, model: str, answers: bool
) -> None:
    assert relevant(ranking(similarity, words=True), model, passage(text)) is answers


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
    assert relevant(ranking(similarity, words=False), model, passage(QUERY)) is answers


def test_a_name_that_was_found_answers_however_far_and_however_few_the_other_words() -> None:
    found = Ranking((), plan(QUERY, 1.0), 0.05, words=True, exact=True)
    assert relevant(found, MINILM, passage("nothing else of it"))


def test_words_found_are_enough_where_the_script_does_not_separate_them() -> None:
    assert relevant(ranking(None, words=True, query="备份怎么恢复"), MINILM, passage("从备份中恢复"))


@pytest.mark.parametrize(
    ("query", "text", "share"),
    [
        ("reset the password", "Passwords: resetting them", 1.0),
        ("reset the password", "a password", 0.5),
        ("reset the password", "", 0.0),
        ("Wie werden Verträge gekündigt", "Die Kündigung eines Vertrags", 0.5),
        ("maxRetryCount", "the max_retry_count", 1.0),
        ("maxRetryCount errors", "the retry", 1 / 6),
        ("서울에 은행이 있다", "서울은 크다", 1 / 6),
        ("max_retry_count", "maxRetryCount", 1.0),
        ("gen-itgc", "重跑gen-itgc后必须", 1.0),
        ("备份怎么恢复", "从备份中恢复", None),
        ("?!", "anything", None),
    ],
)
def test_the_best_passage_tells_how_many_of_the_words_are_held(query: str, text: str, share: float | None) -> None:
    assert covered(query, [*passage("other"), *passage(text)]) == share


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


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        (("E0502",), 'No document holds "E0502" as it is written: these are'),
        (("--no-such-flag", "a.b.c"), 'No document holds "--no-such-flag" as'),
        (("exactly once", "x_y"), 'No document holds "exactly once" or "x_y" as'),
        (("and/or", "e.g"), None),
        ((), None),
    ],
)
def test_a_name_that_no_document_holds_is_named(missing: tuple[str, ...], sentence: str | None) -> None:
    told = message_for(Ranking((), plan(QUERY, 1.0), 0.3, words=True, missing=missing), found=True)
    assert told is None if sentence is None else (told or "").startswith(sentence)


def test_what_is_named_is_bounded() -> None:
    names = tuple(f"{number}{'x' * 2_000}" for number in range(6))
    told = message_for(Ranking((), plan(QUERY, 1.0), 0.3, words=True, missing=names), found=True)
    assert told is not None
    assert len(told) < 300
