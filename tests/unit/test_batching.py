"""Cutting a stream into batches."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from docshelf.batching import batches


@given(st.lists(st.integers(0, 12)), st.integers(1, 5), st.integers(1, 10))
def test_batches_are_the_items_in_order_and_no_smaller_than_they_must_be(
    weights: list[int], most: int, heaviest: int
) -> None:
    made = list(batches(weights, lambda weight: weight, most=most, heaviest=heaviest))
    assert [weight for batch in made for weight in batch] == weights
    assert all(len(batch) <= most and (len(batch) == 1 or sum(batch) <= heaviest) for batch in made)
    for batch, following in pairwise(made):
        assert len(batch) == most or sum(batch) + following[0] > heaviest
