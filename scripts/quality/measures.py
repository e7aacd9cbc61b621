"""How good a ranking is: the usual measures of retrieval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields

RANKED = 10
"""How far down a ranking is looked at."""


@dataclass(frozen=True, slots=True)
class Scores:
    """0..1 each: of one ranking, or the means of many.

    `ndcg` is nDCG at 10, `recall` the share of the right documents among the first five, `reciprocal` that of the first
    right rank within ten (MRR), `hit_1`, `hit_5` and `hit_10` whether a right one is among so many.
    """

    ndcg: float
    recall: float
    reciprocal: float
    hit_1: float
    hit_5: float
    hit_10: float

    def rounded(self) -> dict[str, float]:
        """By name, to four digits."""
        return {item.name: round(getattr(self, item.name), 4) for item in fields(self)}


def scores(ranking: Sequence[str], relevance: Mapping[str, int]) -> Scores:
    """Measure one ranking of distinct documents, best first, against the gains of the right ones (at least one)."""
    gains = [relevance.get(document, 0) for document in ranking[:RANKED]]
    first = next((rank for rank, gain in enumerate(gains, start=1) if gain), None)
    ideal = _discounted(sorted(relevance.values(), reverse=True)[:RANKED])
    return Scores(
        ndcg=_discounted(gains) / ideal,
        recall=sum(1 for gain in gains[:5] if gain) / len(relevance),
        reciprocal=1 / first if first else 0.0,
        hit_1=float(first == 1),
        hit_5=float(first is not None and first <= 5),
        hit_10=float(first is not None),
    )


def mean(of: Sequence[Scores]) -> Scores:
    """The mean of each measure over at least one ranking."""
    return Scores(*(sum(column) / len(of) for column in zip(*map(astuple, of), strict=True)))


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
