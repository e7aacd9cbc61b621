"""Accepted numbers, and whether new ones fall short of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from docshelf.errors import InvalidArgumentError
from scripts.quality.settings_in_use import check_comparable

_SEARCH = "search"

ALLOWED_FALL = 0.01
"""Differences below are noise: another build of a library moves a few ranks."""


def accepted(path: Path, *, quick: bool) -> dict[str, object]:
    """The accepted numbers in `path`, of the quick sets or of whole ones. Raises InvalidArgumentError."""
    found = _read(path).get(_part(quick=quick))
    if not isinstance(found, dict) or not isinstance(found.get("sets"), dict):
        raise InvalidArgumentError(f"{path} holds no accepted numbers.")
    return found


def accept(path: Path, found: dict[str, object], *, quick: bool) -> None:
    """Put the numbers of the sets in `found` into `path`; what was not measured this time stays.

    Of each measure of the search the better value is kept: else many small falls would make a large one.

    Raises:
        InvalidArgumentError: the file cannot be read or written.
    """
    everything, part = _read(path), accepted(path, quick=quick)
    everything[_part(quick=quick)] = _merged(part, found)
    try:
        path.write_text(f"{json.dumps(everything, indent=1)}\n", "utf-8")
    except OSError as error:
        raise InvalidArgumentError(f"{path} cannot be written: {error!r}.") from error


def _merged(before: object, now: object, *, of_search: bool = False) -> object:
    if isinstance(before, dict) and isinstance(now, dict):
        changed = {
            key: _merged(before.get(key), value, of_search=of_search or key == _SEARCH) for key, value in now.items()
        }
        return before | changed
    if of_search and isinstance(before, float | int) and isinstance(now, float | int):
        return max(before, now)
    return now


def _read(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidArgumentError(f"{path} holds no accepted numbers that can be read: {error!r}.") from error
    if not isinstance(found, dict):
        raise InvalidArgumentError(f"{path} holds no accepted numbers.")
    return found


def _part(*, quick: bool) -> str:
    return "quick" if quick else "full"


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
    for key in ("sets", name, "kinds", "all", _SEARCH):
        found = found[key] if isinstance(found, dict) else None
    if not isinstance(found, dict):
        raise TypeError(f"the numbers for {name} are of another form")
    return found
