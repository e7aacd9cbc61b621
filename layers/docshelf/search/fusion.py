"""Reciprocal rank fusion of ranked lists, with a guard for exact hits."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item", bound=Hashable)

RANK_CONSTANT = 60
"""The usual k of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""


@dataclass(frozen=True, slots=True)
class Arm(Generic[Item]):
    """One ranked list, best first, and how far it is trusted (0 takes it out)."""

    ranked: Sequence[Item]
    weight: float = 1.0


def fuse(arms: Sequence[Arm[Item]]) -> list[tuple[Item, float]]:
    """Rank all items of all arms by the weighted sum of `1 / (k + rank)`, best first.

    The scores are scaled so that an item which is first in every arm has 1.0. Equal scores keep the order of the arms
    as given, so the result does not depend on hashing.
    """
    scores: dict[Item, float] = {}
    best = sum(arm.weight for arm in arms) / (RANK_CONSTANT + 1)
    for arm in arms:
        if arm.weight <= 0:
            continue
        for rank, item in enumerate(arm.ranked, start=1):
            scores[item] = scores.get(item, 0.0) + arm.weight / (RANK_CONSTANT + rank)
    return [(item, score / best) for item, score in sorted(scores.items(), key=lambda pair: -pair[1])]


def keep_exact_hits(fused: Sequence[tuple[Item, float]], exact: Sequence[Item], limit: int) -> list[tuple[Item, float]]:
    """Move `exact`, best first, up so that they stand within the first `limit`, however fusion ranked them.

    They take the last places of the answer from what is not exact, and keep their order among themselves.
    """
    scores = dict(fused)
    order = [item for item, _ in fused]
    guarded = [item for item in exact if item in scores][:limit]
    head = order[:limit]
    missing = [item for item in guarded if item not in head]
    replaced = [item for item in head if item not in guarded][-len(missing) :] if missing else []
    for item in replaced:
        head.remove(item)
    head += missing
    return [(item, scores[item]) for item in [*head, *(item for item in order if item not in head)]]
