"""Marks that keep the place of tables while the text of a PDF page is repaired: characters that no text may hold."""

from __future__ import annotations

from dataclasses import dataclass

FIRST_HEADER = "\ufdd0"
FIRST_ROW = "\ufdd1"
HEADER = "\ufdd2"
ROW = "\ufdd3"
CELL_LINE = "\ufdd4"
"""Stands for the end of a line within a cell."""

_BEGINS_TABLE = (FIRST_HEADER, FIRST_ROW)
_HEADERS = (FIRST_HEADER, HEADER)
_BEGINS_ROW = (*_BEGINS_TABLE, HEADER, ROW)
_REMOVED = dict.fromkeys(map(ord, (*_BEGINS_ROW, CELL_LINE)))


@dataclass(slots=True)
class TableSpan:
    """Where a table stands in the text of its page: the offsets of its rows, and its end; `headers` counts rows."""

    rows: list[int]
    end: int
    headers: int


def unmarked(text: str) -> str:
    """`text` without these characters, which a file may hold though none has a meaning."""
    return text.translate(_REMOVED)


def marked_rows(lines: list[str], headers: int) -> list[str]:
    """The rows of one table, a line each, of which the first `headers` name the columns."""
    marks = [HEADER if number < headers else ROW for number in range(len(lines))]
    marks[0] = FIRST_HEADER if headers else FIRST_ROW
    return [mark + line for mark, line in zip(marks, lines, strict=True)]


def take_marks(text: str) -> tuple[str, list[TableSpan]]:
    """`text` without its marks, and the tables that they told of in reading order."""
    parts: list[str] = []
    tables: list[TableSpan] = []
    position = 0
    for line in text.split("\n"):
        mark = line[:1] if line.startswith(_BEGINS_ROW) else ""
        plain = unmarked(line.replace(CELL_LINE, " "))
        if mark in _BEGINS_TABLE or (mark and not tables):
            tables.append(TableSpan([], 0, 0))
        if mark:
            tables[-1].rows.append(position)
            tables[-1].headers += mark in _HEADERS
        parts.append(plain)
        position += len(plain) + 1
        if mark:
            tables[-1].end = position
    return "\n".join(parts), tables
