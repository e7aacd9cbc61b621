"""Measures of rankings, against values worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.quality.measures import Scores, mean, scores


def test_the_only_right_document_first_is_perfect() -> None:
    assert scores(["a", "b"], {"a": 1}) == Scores(1, 1, 1, 1, 1, 1)


def test_nothing_right_is_nothing() -> None:
    assert scores(["b", "c"], {"a": 1}) == scores([], {"a": 2}) == Scores(0, 0, 0, 0, 0, 0)


def test_a_later_place_counts_less() -> None:
    found = scores(["x", "y", "a"], {"a": 1})
    assert found.ndcg == pytest.approx(1 / math.log2(4))
    assert found.reciprocal == pytest.approx(1 / 3)
    assert (found.recall, found.hit_1, found.hit_5) == (1, 0, 1)


def test_gains_are_weighed_against_the_best_order() -> None:
    found = scores(["b", "a"], {"a": 3, "b": 1})
    assert found.ndcg == pytest.approx((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)))


def test_recall_looks_at_five_and_the_rest_at_ten() -> None:
    ranking = [*"vwxyz", "a", *"klmn", "b"]
    found = scores(ranking, {"a": 1, "b": 1})
    assert (found.recall, found.hit_5, found.hit_10) == (0, 0, 1)
    assert found.reciprocal == pytest.approx(1 / 6)
    assert found.ndcg == pytest.approx(1 / math.log2(7) / (1 + 1 / math.log2(3)))


def test_the_mean_is_of_each_measure() -> None:
    assert mean([Scores(1, 1, 1, 1, 1, 1), Scores(0, 0.5, 0, 0, 1, 1)]) == Scores(0.5, 0.75, 0.5, 0.5, 1, 1)


@given(st.permutations("abcdefghijkl"), st.dictionaries(st.sampled_from("abcdefghijkl"), st.integers(1, 4), min_size=1))
def test_every_measure_is_a_share_and_the_ideal_order_is_one(ranking: list[str], relevance: dict[str, int]) -> None:
    found = scores(ranking, relevance)
    assert all(0 <= value <= 1.000001 for value in found.rounded().values())
    assert found.hit_1 <= found.hit_5 <= found.hit_10
    ideal = sorted(ranking, key=lambda document: -relevance.get(document, 0))
    assert scores(ideal, relevance).ndcg == pytest.approx(1)
