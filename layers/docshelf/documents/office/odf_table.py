"""Tables of OpenDocument files, as they stand in texts, slides and spreadsheets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from xml.etree import ElementTree as ET

from docshelf.documents.text.xml_text import children, local_name, number

_MOST_COLUMNS = 1_000
_MOST_SPANNED_ROWS = 1_000
_MOST_REPEATED = 20


def table_rows(table: ET.Element, text_of_cell: Callable[[ET.Element], str]) -> tuple[list[list[str]], list[list[str]]]:
    """Header rows and other rows; what a cell that spans rows holds is repeated in each."""
    headers: list[list[str]] = []
    rows: list[list[str]] = []
    spanning: dict[int, tuple[int, str]] = {}
    for row, is_header in _rows(table):
        cells = _cells(row, text_of_cell, spanning)
        (headers if is_header and not rows else rows).append(cells)
    return (headers, rows) if rows else ([], headers)


def _rows(parent: ET.Element, *, is_header: bool = False) -> Iterator[tuple[ET.Element, bool]]:
    for element in children(parent):
        name = local_name(element)
        if name == "table-row":
            yield element, is_header
        elif name in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(element, is_header=is_header or name == "table-header-rows")


def _cells(
    row: ET.Element, text_of_cell: Callable[[ET.Element], str], spanning: dict[int, tuple[int, str]]
) -> list[str]:
    cells: list[str] = []
    for cell in children(row, "table-cell", "covered-table-cell"):
        times = max(1, min(number(cell, "number-columns-repeated", 1), _MOST_COLUMNS - len(cells)))
        text = text_of_cell(cell)
        for _ in range(times if not text else min(times, _MOST_REPEATED)):
            column = len(cells)
            left, above = spanning.pop(column, (0, ""))
            covered = local_name(cell) == "covered-table-cell"
            if covered and left:
                cells.append(above)
                spanning[column] = left - 1, above
                continue
            cells.append(text)
            spanned = min(number(cell, "number-rows-spanned", 1), _MOST_SPANNED_ROWS)
            if spanned > 1:
                spanning[column] = spanned - 1, text
    return cells
