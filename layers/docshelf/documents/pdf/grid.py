"""From the ruling lines of a PDF page to grids of cells."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from docshelf.documents.pdf.characters import Box

_NEAR = 2.0
_MOST_PAIRS = 100_000
_MOST_GRIDS = 100
_MOST_ROWS, _MOST_COLUMNS = 400, 60
_FEWEST_EDGES = 3

Cell = tuple[int, int]
"""Row and column, counted from 0 at the top and left; of a merged cell, where it begins."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A line at `place`, reaching from `start` to `end` on the other axis."""

    place: float
    start: float
    end: float

    def covers(self, place: float, near: float = 0.0) -> bool:
        """Whether it reaches `place`."""
        return self.start - near <= place <= self.end + near


@dataclass(frozen=True, slots=True)
class Grid:
    """Edges of columns from left to right and of rows from bottom to top in points; `cells` by column and row strip."""

    columns: Sequence[float]
    rows: Sequence[float]
    cells: dict[tuple[int, int], Cell]

    @property
    def area(self) -> float:
        """In square points."""
        return (self.columns[-1] - self.columns[0]) * (self.rows[-1] - self.rows[0])

    def cell_at(self, across: float, up: float) -> Cell | None:
        """The cell that holds a point; None outside the grid."""
        return self.cells.get((bisect_right(self.columns, across) - 1, bisect_right(self.rows, up) - 1))


def grids(rules: Iterable[Box]) -> list[Grid]:
    """The grids that `rules` draw, those of two rows and two columns or more; none where they make a drawing."""
    boxes = list(rules)
    flat = _together((b + t) / 2 for _, b, _, t in boxes), _together((a + c) / 2 for a, _, c, _ in boxes)
    across = _merged((flat[0][(b + t) / 2], a, c) for a, b, c, t in boxes if c - a >= t - b)
    upright = _merged((flat[1][(a + c) / 2], b, t) for a, b, c, t in boxes if c - a < t - b)
    if len(across) * len(upright) > _MOST_PAIRS:
        return []
    found = [_grid(*part) for part in _connected(across, upright)]
    kept = [grid for grid in found if grid is not None]
    return kept if len(kept) <= _MOST_GRIDS else []


def _together(places: Iterable[float]) -> dict[float, float]:
    """One place for all that lie near each other."""
    found: dict[float, float] = {}
    start = before = float("-inf")
    for place in sorted(places):
        if place - before > _NEAR / 2 or place - start > _NEAR:
            start = place
        before = place
        found[place] = start
    return found


def _merged(rules: Iterable[tuple[float, float, float]]) -> list[_Rule]:
    """Join what lies on one line and touches."""
    found: list[_Rule] = []
    for place, start, end in sorted(rules):
        last = found[-1] if found else None
        if last is not None and last.place == place and start <= last.end + _NEAR:
            found[-1] = _Rule(place, last.start, max(last.end, end))
        else:
            found.append(_Rule(place, start, end))
    return found


def _connected(across: Sequence[_Rule], upright: Sequence[_Rule]) -> list[tuple[list[_Rule], list[_Rule]]]:
    """Lines that cross or touch each other, directly or by others."""
    sets = _Sets(len(across) + len(upright))
    for number, flat in enumerate(across):
        for other, tall in enumerate(upright, len(across)):
            if flat.covers(tall.place, _NEAR) and tall.covers(flat.place, _NEAR):
                sets.join(number, other)
    parts: dict[int, tuple[list[_Rule], list[_Rule]]] = defaultdict(lambda: ([], []))
    for number, rule in enumerate([*across, *upright]):
        parts[sets.root(number)][number >= len(across)].append(rule)
    return [part for part in parts.values() if part[0] and part[1]]


def _grid(across: list[_Rule], upright: list[_Rule]) -> Grid | None:
    columns = _edges([one.place for one in upright], across)
    rows = _edges([one.place for one in across], upright)
    if min(len(columns), len(rows)) < _FEWEST_EDGES or len(columns) > _MOST_COLUMNS or len(rows) > _MOST_ROWS:
        return None
    return Grid(columns, rows, _cells(columns, rows, across, upright))


def _edges(places: list[float], crossing: list[_Rule]) -> list[float]:
    """Where lines stand, and where those that cross them end, as a table may be open at its sides."""
    found = sorted(set(places))
    first, last = min(one.start for one in crossing), max(one.end for one in crossing)
    return ([first] if first < found[0] - 2 * _NEAR else []) + found + ([last] if last > found[-1] + 2 * _NEAR else [])


def _cells(
    columns: Sequence[float], rows: Sequence[float], across: Sequence[_Rule], upright: Sequence[_Rule]
) -> dict[tuple[int, int], Cell]:
    """The cell of each strip of column and row: where no line parts two of them, they are one."""
    wide, high = len(columns) - 1, len(rows) - 1
    sets = _Sets(wide * high)
    walls, floors = _by_place(upright), _by_place(across)
    for row in range(high):
        middle = (rows[row] + rows[row + 1]) / 2
        for column in range(wide):
            if column + 1 < wide and not any(one.covers(middle) for one in walls.get(columns[column + 1], ())):
                sets.join(row * wide + column, row * wide + column + 1)
            centre = (columns[column] + columns[column + 1]) / 2
            if row + 1 < high and not any(one.covers(centre) for one in floors.get(rows[row + 1], ())):
                sets.join(row * wide + column, (row + 1) * wide + column)
    strips: dict[int, list[Cell]] = defaultdict(list)
    for strip in range(wide * high):
        strips[sets.root(strip)].append((high - 1 - strip // wide, strip % wide))
    return {
        (column, high - 1 - row): (min(cell[0] for cell in cells), min(cell[1] for cell in cells))
        for cells in strips.values()
        for row, column in cells
    }


def _by_place(rules: Iterable[_Rule]) -> dict[float, list[_Rule]]:
    found: dict[float, list[_Rule]] = defaultdict(list)
    for one in rules:
        found[one.place].append(one)
    return found


class _Sets:
    """Which of so many numbers belong together."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def root(self, number: int) -> int:
        """The number that stands for the set of `number`."""
        while self._above[number] != number:
            self._above[number] = self._above[self._above[number]]
            number = self._above[number]
        return number

    def join(self, first: int, second: int) -> None:
        """Make the sets of both one."""
        self._above[self.root(second)] = self.root(first)
