"""Sheets of a spreadsheet as tables: which rows belong together, which of them are headers, what stands above."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from docshelf.documents.piece_builder import PieceBuilder
from docshelf.errors import DocumentTooLargeError

MOST_CELLS = 2_000_000
"""Cells with content that are read of one workbook."""

_MOST_HEADER_ROWS = 2
_LOOKED_AT_BELOW = 20
_MOST_REPEATED_ROWS = 1_000
_MOST_REPEATED_CELLS = 200_000
_PERIOD = re.compile(r"(?:19|20)[0-9]{2}(?:-[01][0-9](?:-[0-3][0-9])?)?")


class Figure(str):
    """What a cell shows that holds a number, date or truth value; a plain `str` is a cell with words."""

    __slots__ = ()


@dataclass(slots=True)
class Sheet:
    """A sheet's cells with content: by row, then by column, both counted from 0; `merged` are first and last cells."""

    name: str
    hidden: bool = False
    rows: dict[int, dict[int, str]] = field(default_factory=dict)
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)


class CellCount:
    """Counts the cells of a workbook and refuses one with too many."""

    def __init__(self) -> None:
        self._cells = 0

    def add(self, cells: int) -> None:
        """Count `cells` more.

        Raises:
            DocumentTooLargeError: there are more than `MOST_CELLS`.
        """
        self._cells += cells
        if self._cells > MOST_CELLS:
            raise DocumentTooLargeError(f"The workbook has more than {MOST_CELLS:,} cells with content.")


def add_sheet(builder: PieceBuilder, sheet: Sheet) -> None:
    """Write `sheet` down under its name, which an empty one has too for what may stand beside its cells."""
    builder.open_heading(f"{sheet.name} (hidden sheet)" if sheet.hidden else sheet.name)
    if not sheet.rows:
        return
    _repeat_merged(sheet)
    columns: set[int] = set()
    headers: list[list[str]] = []
    order: list[int] = []
    for region in _regions(sheet):
        used = {column for row in region for column in row}
        if headers and used <= columns and not _is_header(_cells(region[0], order)):
            builder.table((_cells(row, order) for row in region), above=headers)  # it goes on behind a blank row
            continue
        columns, order = used, sorted(used)
        headers = _add_region(builder, region, order)


def hidden_warning(hidden: int) -> list[str]:
    """A warning that says how many hidden sheets were read, as a list of one or none."""
    if not hidden:
        return []
    return [f"{hidden:,} hidden {'sheet was' if hidden == 1 else 'sheets were'} read too; the headings say which."]


def _regions(sheet: Sheet) -> Iterator[list[dict[int, str]]]:
    """Runs of rows without a blank row between them."""
    region: list[dict[int, str]] = []
    last = -2
    for number in sorted(sheet.rows):
        if region and number != last + 1:
            yield region
            region = []
        region.append(sheet.rows[number])
        last = number
    yield region


def _add_region(builder: PieceBuilder, region: list[dict[int, str]], order: list[int]) -> list[list[str]]:
    """Write lines of a single cell as paragraphs, the rest as a table; return the table's headers."""
    if len(order) == 1:
        builder.paragraph("\n".join(cell for row in region for cell in row.values()))
        return []
    start = 0
    while (
        start < len(region) and len(region[start]) == 1 and not isinstance(next(iter(region[start].values())), Figure)
    ):
        start += 1
    above, below = region[:start], region[start:]
    builder.paragraph("\n".join(cell for row in above for cell in row.values()))
    if not below:
        return []
    count = _header_rows([_cells(row, order) for row in below[:_LOOKED_AT_BELOW]])
    headers = [_cells(row, order) for row in below[:count]] if count < len(below) else []
    builder.table((_cells(row, order) for row in below[len(headers) :]), headers)
    return headers


def _cells(row: dict[int, str], order: list[int]) -> list[str]:
    return [row.get(column, "") for column in order]


def _is_header(cells: Sequence[str]) -> bool:
    """Whether a row could be a header: two or more cells of words, periods (years, dates) only behind words."""
    filled = [cell for cell in cells if cell]
    if len(filled) < 2 or isinstance(filled[0], Figure):
        return False
    return all(not isinstance(cell, Figure) or _PERIOD.fullmatch(cell) for cell in filled)


def _header_rows(rows: list[list[str]]) -> int:
    """How many of the first rows are headers: those of words above the first with figures, else the first alone."""
    if not rows or not _is_header(rows[0]):
        return 0
    count = next((number for number, row in enumerate(rows) if not _is_header(row)), 1)
    return count if count <= _MOST_HEADER_ROWS else 1


def _repeat_merged(sheet: Sheet) -> None:
    """Give each row that a merged cell covers the cell's text, so that a row cut out of the table keeps its meaning."""
    left = _MOST_REPEATED_CELLS
    for first_row, first_column, last_row, _ in sheet.merged:
        text = sheet.rows.get(first_row, {}).get(first_column)
        last = min(last_row, first_row + _MOST_REPEATED_ROWS, first_row + left)
        if text is None or last <= first_row:
            continue
        left -= last - first_row
        for number in range(first_row + 1, last + 1):
            if number in sheet.rows:
                sheet.rows[number].setdefault(first_column, text)
