"""Fusion of ranked lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.search.fusion import Arm, above, by_rank, fuse, keep_exact_hits

rankings = st.lists(st.integers(0, 30), unique=True, max_size=15)


def test_an_item_that_is_first_in_every_arm_scores_one() -> None:
    best, score = fuse([Arm(by_rank("ab")), Arm(by_rank("ac"), 0.3)])[0]
    assert best == "a"
    assert score == pytest.approx(1.0)


def test_an_item_in_both_arms_beats_a_first_place_in_one() -> None:
    assert fuse([Arm(by_rank("ab")), Arm(by_rank("cb"))])[0][0] == "b"


def test_an_arm_without_weight_adds_nothing() -> None:
    assert fuse([Arm(by_rank("ab")), Arm(by_rank("ba"), weight=0.0)]) == fuse([Arm(by_rank("ab"))])
    assert fuse([Arm(by_rank("ab"), weight=0.0)]) == []


def test_a_lead_in_one_arm_counts_by_its_size() -> None:
    far, near = above([("a", 10.0), ("b", 1.0)], 0.0), above([("a", 10.0), ("b", 9.0)], 0.0)
    other = above([("b", 0.5), ("a", 0.4), ("c", 0.2)], 0.2)
    assert fuse([Arm(far), Arm(other)])[0][0] == "a"
    assert fuse([Arm(near), Arm(other)])[0][0] == "b"


def test_scores_are_told_by_where_they_lie_above_the_floor() -> None:
    assert above([("a", 4.0), ("b", 1.0)], 0.0) == [("a", 1.0), ("b", 0.25)]
    assert above([("a", 0.9), ("b", 0.6), ("c", 0.5)], 0.5) == [("a", 1.0), ("b", pytest.approx(0.25)), ("c", 0.0)]
    assert above([("a", 0.9)], 0.9) == [("a", 1.0)]
    assert above([], 0.5) == []


@given(rankings)
def test_one_arm_keeps_its_order(ranked: list[int]) -> None:
    assert [item for item, _ in fuse([Arm(by_rank(ranked))])] == ranked


@given(rankings, rankings, st.floats(0.01, 1))
def test_the_result_holds_each_item_once_best_score_first(one: list[int], two: list[int], weight: float) -> None:
    fused = fuse([Arm(by_rank(one)), Arm(by_rank(two), weight)])
    assert {item for item, _ in fused} == set(one) | set(two)
    assert len(fused) == len(set(one) | set(two))
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1.000001 for score in scores)


@given(rankings, st.lists(st.integers(0, 30), max_size=4, unique=True), st.integers(1, 8))
def test_exact_hits_stand_within_the_limit_and_nothing_is_lost(ranked: list[int], exact: list[int], limit: int) -> None:
    fused = fuse([Arm(by_rank(ranked))])
    kept = keep_exact_hits(fused, exact, limit)
    assert sorted(kept) == sorted(fused)
    found = [item for item in exact if item in ranked]
    assert set(found[:limit]) <= {item for item, _ in kept[:limit]}
    if limit > len(found) and ranked:
        assert kept[0] == fused[0]
