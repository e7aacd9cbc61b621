"""Accepted numbers, and whether new ones fall short of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scripts.quality.settings_in_use import check_comparable

ALLOWED_FALL = 0.01
"""Differences below are noise: another build of a library moves a few ranks."""


def falls(accepted: dict[str, object], found: dict[str, object], names: tuple[str, ...]) -> list[str]:
    """A sentence for every measure of the search over the sets `names` that fell by more than is allowed.

    Raises:
        InvalidArgumentError: the two were measured with different settings or questions.
    """
    check_comparable(accepted, found, names)
    return [sentence for name in names for sentence in _fallen(name, _search(accepted, name), _search(found, name))]


def _fallen(name: str, before: Mapping[str, float], now: Mapping[str, float]) -> Iterator[str]:
    for measure, value in before.items():
        if now[measure] < value - ALLOWED_FALL:
            yield f"{name}: {measure} fell from {value:.3f} to {now[measure]:.3f}"


def _search(numbers: dict[str, object], name: str) -> Mapping[str, float]:
    found: object = numbers
    for key in ("sets", name, "kinds", "all", "search"):
        found = found[key] if isinstance(found, dict) else None
    if not isinstance(found, dict):
        raise TypeError(f"the numbers for {name} are of another form")
    return found
