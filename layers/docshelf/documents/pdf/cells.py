"""What the cells of a PDF's tables hold: their lines, and the rows that lines side by side make."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docshelf.documents.pdf.characters import HYPHENS
from docshelf.documents.pdf.marks import CELL_LINE
from docshelf.documents.pdf.words import Word, is_split, joined

_FEWEST_COLUMNS = 2
_ROWS_IN_CELL = 4
_SAME_ROW = 0.4
_LONGEST_FIGURE = 60
_SAME_LINE = 0.5
_FIGURE = re.compile(r"\W*\d[\d.,:/\s%()-]*\W*(?:[^\W\d]{1,3})?")

Lines = list[list[Word]]
"""The words of each line of a cell."""


def is_figure(cell: str) -> bool:
    """Whether a cell is a number, with a unit perhaps."""
    return len(cell) <= _LONGEST_FIGURE and _FIGURE.fullmatch(cell) is not None


def rows_within(cells: Sequence[Lines]) -> list[list[Lines]]:
    """The rows that the cells between two ruling lines hold: several where their lines stand side by side."""
    filled = [cell for cell in cells if cell]
    if sum(len(cell) >= _ROWS_IN_CELL for cell in filled) < _FEWEST_COLUMNS or any(map(_goes_on, filled)):
        return [list(cells)]
    longest = max(map(len, filled))
    base = sorted(next(cell for cell in filled if len(cell) == longest), key=lambda line: -line[0].bottom)
    rows: list[list[Lines]] = [[[] for _ in cells] for _ in base]
    for column, cell in enumerate(cells):
        for line in cell:
            number = next((n for n, other in enumerate(base) if _beside(line[0], other[0])), None)
            if number is None:
                return [list(cells)]
            rows[number][column].append(line)
    alone = sum(sum(map(bool, row)) < _FEWEST_COLUMNS for row in rows)
    return rows if 2 * alone <= len(rows) else [list(cells)]


def are_figures(cells: Sequence[Lines]) -> bool:
    """Whether most lines of the cells are figures."""
    lines = [joined(line) for cell in cells for line in cell]
    return 2 * sum(is_figure(line) for line in lines) > len(lines)


def _goes_on(lines: Lines) -> bool:
    """Whether a word goes on in another line of its cell."""
    return any(is_split(line) for line in lines)


def _beside(first: Word, second: Word, near: float = _SAME_ROW) -> bool:
    """Whether the middles of two words are on one height, but for so much of the taller one's."""
    apart = abs(first.bottom + first.top - second.bottom - second.top) / 2
    return apart <= near * max(first.height, second.height)


def cell_text(lines: Lines) -> str:
    """The lines of a cell from top to bottom, whatever order they were drawn in."""
    levels: list[Lines] = []
    for line in sorted(lines, key=lambda line: -(line[0].bottom + line[0].top)):
        if levels and _beside(line[0], levels[-1][0][0], _SAME_LINE):
            levels[-1].append(line)
        else:
            levels.append([line])
    text = ""
    for line in (line for level in levels for line in sorted(level, key=lambda line: line[0].left)):
        text += joined(line)
        text = text if text.endswith(HYPHENS) else text + CELL_LINE
    return text.strip(CELL_LINE)
