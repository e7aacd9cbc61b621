"""The numbers as a table for people."""

from __future__ import annotations

from collections.abc import Iterator

_ARMS = ("search", "vectors", "full_text")
_MEASURES = (("ndcg", "nDCG@10"), ("recall", "recall@5"), ("reciprocal", "MRR"))
_HITS = ("hit_1", "hit_5", "hit_10")
_HEAD = f"{'set':24} {'arm':10} {'questions':>9} " + " ".join(f"{title:>8}" for _, title in _MEASURES)


def table(numbers: dict[str, object]) -> str:
    """A line for each set, kind of question and arm, then what answers cost and how often they are refused."""
    sets = numbers["sets"]
    lines = [f"{_HEAD}  hit@1 / 5 / 10"]
    if isinstance(sets, dict):
        for name, measured in sets.items():
            lines += _of_set(name, measured)
    return "\n".join(lines)


def _of_set(name: str, measured: dict[str, dict[str, dict[str, dict[str, float]]]]) -> Iterator[str]:
    for kind, told in measured["kinds"].items():
        label = name if kind == "all" else f"  {kind}"
        for arm in _ARMS:
            if arm in told:
                values = told[arm]
                shown = " ".join(f"{values[key]:8.3f}" for key, _ in _MEASURES)
                hits = " / ".join(f"{values[key]:.2f}" for key in _HITS)
                yield f"{label:24} {arm:10} {told['questions']:>9} {shown}  {hits}"
        if "tokens" in told:
            yield f"{'':24} tokens {_tokens(told['tokens'])}"
    if "refusals" in measured:
        yield f"{'':24} " + ", ".join(f"{key} {value:.3f}" for key, value in measured["refusals"].items())


def _tokens(told: dict[str, float]) -> str:
    return (
        f"returned {told['returned']:.0f}, until the first right passage {told['until_right']:.0f}, the right document "
        f"{told['reading']:.0f} ({told['reading'] / told['returned']:.1f} times); answered {told['answered']:.2f}"
    )
