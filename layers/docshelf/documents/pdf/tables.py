"""The tables of a PDF page: cells between ruling lines, and lines whose parts stand in columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from docshelf.documents.pdf.cells import Lines, are_figures, cell_text, is_figure, rows_within
from docshelf.documents.pdf.characters import HYPHENS
from docshelf.documents.pdf.columns import aligned_tables
from docshelf.documents.pdf.grid import Cell, Grid
from docshelf.documents.pdf.marks import marked_rows
from docshelf.documents.pdf.words import Word, joined
from docshelf.documents.piece_builder import row_line

_FEWEST_FULL_ROWS = 2
_FEWEST_COLUMNS = 2
_FULL_SHARE = 0.3
_TITLE_ROWS = 2
_FEW_RULED_ROWS = 3
_INSIDE = 1.0


@dataclass(slots=True)
class LaidLine:
    """A line of a page: its text and its words.

    A `whole` line runs another way than its page, or from right to left: it is taken as one word.
    """

    text: str
    words: list[Word] = field(default_factory=list)
    whole: bool = False


_Flow = list["LaidLine | list[str]"]
"""What a page shows from top to bottom: lines, and tables as their marked rows."""

_Place = tuple[int, Cell]
"""The number of a grid, and a cell of it."""


def page_text(lines: Sequence[LaidLine], grids: Sequence[Grid]) -> str:
    """The text of a page, a line each; rows of tables are marked, and a word split over lines ends with its mark."""
    flow = _without_columns(_without_grids(lines, grids) if grids else list(lines))
    return "".join(line if line.endswith(HYPHENS) else f"{line}\n" for line in flow)


def _without_grids(lines: Sequence[LaidLine], grids: Sequence[Grid]) -> _Flow:
    """Take what stands in the cells of grids out of the lines, and put each grid where its first word was."""
    tables = [_Ruled(grid) for grid in sorted(grids, key=lambda grid: grid.area)]
    placed = [list(_by_place(line, tables)) for line in lines]
    for line, groups in zip(lines, placed, strict=True):
        for place, words in groups:
            if place is not None:
                tables[place[0]].add(place[1], words, whole=line.whole)
    kept = {number: rows for number, table in enumerate(tables) if (rows := table.rows())}
    flow: _Flow = []
    shown: set[int] = set()
    for line, groups in zip(lines, placed, strict=True):
        inside = [place[0] for place, _ in groups if place and place[0] in kept]
        if not inside:
            flow.append(line)
            continue
        outside = [words for place, words in groups if not place or place[0] not in kept]
        if outside:
            flow.append(LaidLine(" ".join(map(joined, outside)), [word for words in outside for word in words]))
        for number in inside:
            if number not in shown:
                shown.add(number)
                flow.append(kept[number])
    return flow


def _by_place(line: LaidLine, tables: Sequence[_Ruled]) -> Iterator[tuple[_Place | None, list[Word]]]:
    """Neighbouring words of a line that stand in one cell, or outside of all (None)."""

    def place_of(word: Word) -> _Place | None:
        across, up = (word.left + word.right) / 2, (word.bottom + word.top) / 2
        for number, table in enumerate(tables):
            cell = table.grid.cell_at(across, up)
            if cell is not None:
                return number, cell
        return None

    for place, group in groupby(line.words, key=place_of):
        yield place, list(group)


def _without_columns(flow: _Flow) -> Iterator[str]:
    """The lines of the page with the rows of tables that have no ruling lines."""
    words = [[] if isinstance(one, list) or one.whole else one.words for one in flow]
    tables = {table.start: table for table in aligned_tables(words)}
    number = 0
    while number < len(flow):
        one, table = flow[number], tables.get(number)
        number = number + 1 if table is None else table.end
        if table is not None:
            yield from ("", *_marked(table.rows), "")
        elif isinstance(one, list):
            yield from ("", *one, "")
        else:
            yield one.text


class _Ruled:
    """The words in the cells of one grid."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._cells: dict[Cell, Lines] = defaultdict(list)
        self._is_torn = False

    def add(self, cell: Cell, words: list[Word], *, whole: bool) -> None:
        """Add what one line has in `cell`; a whole line has to lie within it."""
        if any(word.text.strip() for word in words):
            self._cells[cell].append(words)
        self._is_torn |= whole and not self._holds(cell, words[0])

    def rows(self) -> list[str]:
        """The marked rows; none where it is plainly no table: a frame, a form, columns of prose between lines."""
        if self._is_torn:
            return []
        columns = sorted({column for _, column in self._cells})
        numbers = sorted({row for row, _ in self._cells})
        rows: list[list[str]] = []
        for number in numbers:
            cells = [self._cells.get((number, column), []) for column in columns]
            divisible = len(numbers) <= _FEW_RULED_ROWS or are_figures(cells)
            parts = rows_within(cells) if divisible else [cells]
            rows += [list(map(cell_text, part)) for part in parts]
        full = sum(sum(map(bool, row)) >= _FEWEST_COLUMNS for row in rows)
        filled = sum(bool(cell) for row in rows for cell in row)
        is_table = full >= _FEWEST_FULL_ROWS and filled >= _FULL_SHARE * len(rows) * len(columns)
        return _marked(rows) if is_table else []

    def _holds(self, cell: Cell, word: Word) -> bool:
        ends = (word.left + _INSIDE, word.bottom + _INSIDE), (word.right - _INSIDE, word.top - _INSIDE)
        return all(self.grid.cell_at(*end) == cell for end in ends)


def _marked(rows: Sequence[Sequence[str]]) -> list[str]:
    return marked_rows([row_line(row) for row in rows], _headers(rows))


def _headers(rows: Sequence[Sequence[str]]) -> int:
    """How many of the first rows name the columns: lines of one cell above, and the first row of several words."""
    for number, row in enumerate(rows[: _TITLE_ROWS + 1]):
        filled = [cell for cell in row if cell]
        if len(filled) < _FEWEST_COLUMNS:
            continue
        names = not any(is_figure(cell) for cell in filled) and 2 * len(filled) >= len(row)
        return number + 1 if names and number + 1 < len(rows) else 0
    return 0
