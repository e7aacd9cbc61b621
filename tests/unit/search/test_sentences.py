"""Putting hits in order by what their sentences hold, over chunks that the test gives."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.index.records import StoredChunk
from docshelf.search.sentences import LOOKED_AT, by_sentences
from tests.unit.search.made_up import chunk


def ordered(query: str, *texts: str, trust: float = 0.0) -> list[int]:
    """The numbers of the texts, best first, where all have the same score."""

    def load(rows: Sequence[int]) -> dict[int, StoredChunk]:
        return {row: chunk(0, texts[row]) for row in rows}

    return [row for row, _ in by_sentences(query, [(row, 0.5) for row in range(len(texts))], load, trust)]


@pytest.mark.parametrize(
    ("query", "scattered", "together"),
    [
        ("какой банк выдал кредит", "Банк. Выдал. Кредит дорог.", "Погода. Банк выдал кредит."),
        ("哪家银行提供了贷款", "银行。提供。贷款很贵。", "天气。银行提供了贷款。"),
        ("どの銀行が融資した", "銀行。融資は高い。", "天気。その銀行が融資した。"),
        ("서울의 은행 대출", "은행이 있다. 대출이 비싸다. 서울은 크다.", "날씨. 서울에 은행 대출이 있다."),
        ("ธนาคารให้เงินกู้", "ธนาคาร\nเงินกู้", "อากาศ\nธนาคารให้เงินกู้แล้ว"),
        ("Welche Bank gab den Kredit", "Bank\nKredite\nsie gaben", "Wetter\nEine Bank gab Kredite"),
    ],
    ids=["Russian", "Chinese", "Japanese", "Korean", "Thai", "German"],
)
def test_the_text_whose_one_sentence_holds_the_words_comes_first(query: str, scattered: str, together: str) -> None:
    assert ordered(query, scattered, together) == [1, 0]
    assert ordered(query, scattered, together, trust=1.0) == [0, 1]


def test_a_rare_word_weighs_more_than_one_that_all_hold() -> None:
    assert ordered("банк кредит", "банк стоит", "банк идёт", "кредит стоит", "банк лежит")[0] == 2


def test_a_query_of_no_words_changes_nothing() -> None:
    assert ordered("?!", "b", "a") == [0, 1]


@given(st.lists(st.text(max_size=60), max_size=30), st.text(max_size=40), st.floats(0, 1))
def test_rows_stay_the_same_and_scores_within_bounds(texts: list[str], query: str, trust: float) -> None:
    ranked = [(row, 1 - row / 100) for row in range(len(texts))]
    found = by_sentences(query, ranked, lambda rows: {row: chunk(0, texts[row]) for row in rows}, trust)
    assert sorted(row for row, _ in found) == list(range(len(texts)))
    assert [row for row, _ in found[LOOKED_AT:]] == list(range(len(texts)))[LOOKED_AT:]
    assert all(0 <= score <= 1 for _, score in found)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
