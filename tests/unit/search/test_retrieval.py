"""From a query to ranked chunks, over lists of candidates that the test gives."""

from __future__ import annotations

import pytest

from docshelf.index.filters import EVERYTHING, Filters
from docshelf.search.retrieval import CANDIDATES, COMMON_HITS, Ranking, rank
from tests.unit.search.made_up import Lists, Words


def sources(ranking: Ranking) -> str:
    return "".join(chr(one.row) for one in ranking.rows)


def test_a_hit_of_both_arms_is_first_with_the_full_score() -> None:
    found = rank(Lists(vector="abc", text="ade"), Words(), "how to return it", 5, EVERYTHING)
    assert sources(found)[0] == "a"
    assert found.rows[0].score == pytest.approx(1.0)
    assert sorted(sources(found)) == list("abcde")
    assert found.similarity == pytest.approx(0.9)
    assert found.words


def test_every_arm_is_asked_for_the_same_number_within_the_same_filter() -> None:
    index, filters = Lists(vector="a", text="a"), Filters(("docs",), "docs/x")
    rank(index, Words(), 'what is "blue label" in read_file', 5, filters)
    expected = ['what is "blue label" in read_file', "blue label", "read_file", "vector"]
    assert sorted(query for query, *_ in index.asked) == sorted(expected)
    assert {(limit, seen) for _, limit, seen in index.asked} == {(CANDIDATES, filters)}


def test_a_language_that_the_model_does_not_know_is_answered_by_full_text_alone() -> None:
    index = Lists(vector="xyz", text="ab")
    found = rank(index, Words(0.2), "какой банк дал кредит", 5, EVERYTHING)
    assert sources(found) == "ab"
    assert found.similarity is None
    assert "vector" not in [query for query, _, _ in index.asked]


def test_without_any_word_found_the_vectors_answer_whatever_the_language() -> None:
    found = rank(Lists(vector="xy"), Words(0.2), "какой банк", 5, EVERYTHING)
    assert sources(found) == "xy"
    assert not found.words


@pytest.mark.parametrize("query", ["", "   ", "\0\0", "\n\t"])
def test_a_query_of_nothing_asks_nobody(query: str) -> None:
    index = Lists(vector="a", text="a")
    found = rank(index, Words(), query, 5, EVERYTHING)
    assert (found.rows, found.similarity, found.words, index.asked) == ((), None, False, [])


def test_an_exact_phrase_stays_in_the_answer_however_deep_fusion_put_it() -> None:
    index = Lists(vector="abcdef", text="abcdef", phrases={"blue label": "z"})
    found = rank(index, Words(), '"blue label"', 2, EVERYTHING)
    assert "z" in sources(found)[:2]
    assert sources(found)[0] == "a"


def test_the_best_hit_of_full_text_stays_in_the_answer() -> None:
    index = Lists(vector="abcdefgh", text="zabcdefgh")
    assert "z" in sources(rank(index, Words(), "how to return it", 3, EVERYTHING))[:3]


def test_two_phrases_share_the_answer() -> None:
    index = Lists(vector="abcd", text="abcd", phrases={"one thing": "y", "two things": "z"})
    found = rank(index, Words(), '"one thing" "two things"', 3, EVERYTHING)
    assert {"y", "z"} <= set(sources(found)[:3])


def test_a_chunk_is_ranked_once() -> None:
    index = Lists(vector="ab", text="ba", phrases={"blue label": "ab"})
    assert sorted(sources(rank(index, Words(), '"blue label"', 5, EVERYTHING))) == ["a", "b"]


def test_hits_that_hold_the_phrase_as_it_is_written_come_first() -> None:
    index = Lists(text="abc", phrases={"--force-reload": "abc"}, texts={"c": "use --force-reload here", "a": "force"})
    assert sources(rank(index, Words(0.2), "--force-reload", 2, EVERYTHING))[:2] == "ac"


def test_a_name_that_many_chunks_hold_is_no_exact_hit() -> None:
    everywhere = "".join(map(chr, range(0x4E00, 0x4E00 + COMMON_HITS)))
    few, many = {"PostgreSQL": "a"}, {"PostgreSQL": everywhere}
    assert rank(Lists(text="ab", phrases=few), Words(), "lost PostgreSQL logins", 5, EVERYTHING).exact
    assert not rank(Lists(text="ab", phrases=many), Words(), "lost PostgreSQL logins", 5, EVERYTHING).exact
    assert not rank(Lists(text="ab"), Words(), "lost PostgreSQL logins", 5, EVERYTHING).exact


SCATTERED, TOGETHER = "Банк. Выдача. Новый кредит стоит дорого.", "Вот и всё. Этот банк выдал кредит."


@pytest.mark.parametrize(("known", "order"), [(0.2, "ba"), (1.0, "ab")], ids=["no vectors", "vectors"])
def test_without_vectors_the_hit_whose_one_sentence_holds_the_words_is_first(known: float, order: str) -> None:
    index = Lists(vector="ab", text="ab", texts={"a": SCATTERED, "b": TOGETHER})
    found = rank(index, Words(known), "какой банк выдал кредит", 5, EVERYTHING)
    assert sources(found) == order
    assert all(0 <= one.score <= 1 for one in found.rows)


def test_a_phrase_within_a_longer_name_is_behind_the_name_itself() -> None:
    texts = {"a": "redis_max_connections", "b": "the max_connections setting", "c": "max connections"}
    index = Lists(phrases={"max_connections": "acb"}, texts=texts)
    assert sources(rank(index, Words(), "max_connections", 5, EVERYTHING)) == "bac"


def test_phrases_that_no_chunk_holds_are_told() -> None:
    found = rank(Lists(text="ab", phrases={"read_file": "a"}), Words(), "read_file or write_file", 5, EVERYTHING)
    assert found.missing == ("write_file",)
    assert found.exact
