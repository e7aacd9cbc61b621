"""Rank fusion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.search.fusion import Arm, fuse, keep_exact_hits

rankings = st.lists(st.integers(0, 30), unique=True, max_size=15)


def test_an_item_that_is_first_in_every_arm_scores_one() -> None:
    best, score = fuse([Arm("ab"), Arm("ac")])[0]
    assert best == "a"
    assert score == pytest.approx(1.0)


def test_an_item_in_both_arms_beats_a_first_place_in_one() -> None:
    assert fuse([Arm("ab"), Arm("cb")])[0][0] == "b"


def test_an_arm_without_weight_adds_nothing() -> None:
    assert fuse([Arm("ab"), Arm("ba", weight=0.0)]) == fuse([Arm("ab")])
    assert fuse([Arm("ab", weight=0.0)]) == []


@given(rankings)
def test_one_arm_keeps_its_order(ranked: list[int]) -> None:
    assert [item for item, _ in fuse([Arm(ranked)])] == ranked


@given(rankings, rankings, st.floats(0.01, 1))
def test_the_result_holds_each_item_once_best_score_first(one: list[int], two: list[int], weight: float) -> None:
    fused = fuse([Arm(one), Arm(two, weight)])
    assert {item for item, _ in fused} == set(one) | set(two)
    assert len(fused) == len(set(one) | set(two))
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1.000001 for score in scores)


@given(rankings, st.lists(st.integers(0, 30), max_size=4, unique=True), st.integers(1, 8))
def test_exact_hits_stand_within_the_limit_and_nothing_is_lost(ranked: list[int], exact: list[int], limit: int) -> None:
    fused = fuse([Arm(ranked)])
    kept = keep_exact_hits(fused, exact, limit)
    assert sorted(kept) == sorted(fused)
    found = [item for item in exact if item in ranked]
    assert set(found[:limit]) <= {item for item, _ in kept[:limit]}
    if limit > len(found) and ranked:
        assert kept[0] == fused[0]
