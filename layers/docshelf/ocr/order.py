"""The lines of a recognised page in the order in which people read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median

from docshelf.aws.textract import Line

_LEAST_OF_A_COLUMN = 4
_NARROWEST_COLUMN = 0.2
_MOST_ACROSS = 0.25
_MOST_LINES = 1_000
_SAME_ROW = 0.5
_DEEPEST = 8


def page_text(lines: Sequence[Line]) -> str:
    """The text of one page: column after column; what stands side by side otherwise is a row, parted by two spaces.

    A table's cells are short: only where lines on both sides of a gap are as wide as those of a text is it a gap
    between columns. Each line's own white space is made single.
    """
    worded = [line for line in lines if line.text.strip()]
    return "\n".join("  ".join(" ".join(line.text.split()) for line in row) for row in _read(worded, _DEEPEST))


def _read(lines: Sequence[Line], depth: int) -> Iterator[list[Line]]:
    """Rows from top to bottom; between two lines that reach across a gap, its left side before its right."""
    gap = _gap(lines) if depth else None
    if gap is None:
        yield from _rows(lines)
        return
    ordered = sorted(lines, key=lambda line: (line.top, line.left))
    for across, band in groupby(ordered, key=lambda line: line.left < gap < line.left + line.width):
        if across:
            yield from _rows([*band])
            continue
        sides: tuple[list[Line], list[Line]] = ([], [])
        for line in band:
            sides[line.left >= gap].append(line)
        for side in sides:
            yield from _read(side, depth - 1)


def _gap(lines: Sequence[Line]) -> float | None:
    """Where the right one of two columns begins, in shares of the page's width; None where there are none."""
    if len(lines) > _MOST_LINES:
        return None
    found: dict[float, int] = {}
    for place in {line.left for line in lines}:
        left = [line for line in lines if line.left + line.width <= place]
        right = [line for line in lines if line.left >= place]
        across = len(lines) - len(left) - len(right)
        if _is_column(left) and _is_column(right) and across <= _MOST_ACROSS * len(lines):
            found[place] = across
    return min(found, key=lambda place: (found[place], place), default=None)


def _is_column(lines: Sequence[Line]) -> bool:
    return len(lines) >= _LEAST_OF_A_COLUMN and median(line.width for line in lines) >= _NARROWEST_COLUMN


def _rows(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Neighbours whose middles are at the same height, from left to right."""
    ordered = sorted(lines, key=lambda line: (line.top + line.height / 2, line.left))
    row: list[Line] = ordered[:1]
    for before, line in pairwise(ordered):
        apart = (line.top + line.height / 2) - (before.top + before.height / 2)
        if apart > _SAME_ROW * min(before.height, line.height):
            yield sorted(row, key=lambda one: one.left)
            row = []
        row.append(line)
    if row:
        yield sorted(row, key=lambda one: one.left)
