"""Fusion of ranked lists by their scores, with a guard for exact hits."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item", bound=Hashable)
Hits = Sequence[tuple[Item, float]]
"""Items with their scores, best first."""

RANK_CONSTANT = 60
"""The k of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009), for lists whose scores say nothing."""


@dataclass(frozen=True, slots=True)
class Arm(Generic[Item]):
    """One ranked list and how far it is trusted (0 takes it out); scores are 0..1, that of the first is 1."""

    hits: Hits[Item]
    weight: float = 1.0


def above(hits: Hits[Item], floor: float) -> Hits[Item]:
    """Each score by where it lies between `floor` (0) and the best (1); all are 1 where nothing lies between."""
    span = hits[0][1] - floor if hits else 0.0
    return [(item, (score - floor) / span if span > 0 else 1.0) for item, score in hits]


def by_rank(items: Sequence[Item]) -> Hits[Item]:
    """Scores that fall slowly with the rank."""
    return [(item, (RANK_CONSTANT + 1) / (RANK_CONSTANT + rank)) for rank, item in enumerate(items, start=1)]


def fuse(arms: Sequence[Arm[Item]]) -> list[tuple[Item, float]]:
    """Rank all items of all arms by the weighted mean of their scores, best first; what an arm lacks has 0 there.

    An item which is first in every arm has 1.0. Equal scores keep the order of the arms as given, so the result does
    not depend on hashing.
    """
    scores: dict[Item, float] = {}
    trusted = [arm for arm in arms if arm.weight > 0]
    total = sum(arm.weight for arm in trusted)
    for arm in trusted:
        for item, score in arm.hits:
            scores[item] = scores.get(item, 0.0) + arm.weight * score / total
    return sorted(scores.items(), key=lambda pair: -pair[1])


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
