"""Paragraphs, list items and table rows of an RTF file, gathered until they are written as pieces."""

from __future__ import annotations

import re

from docshelf.documents.html.text import BREAK, lines, one_line
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.documents.rtf.fonts import joined_halves

_NUMBERED = re.compile(r"[(\[]?[0-9A-Za-z]{1,6}(?:\.[0-9]{1,4}){0,8}[.)\]]?")


class RtfWriter:
    """Adds what it is given to `builder`, a list or table as soon as something else follows it."""

    def __init__(self, builder: PieceBuilder) -> None:
        self._builder = builder
        self._items: list[tuple[int, str, str]] = []
        self._cells: list[str] = []
        self._rows: list[list[str]] = []
        self._headers = 0
        self._in_cell: list[str] = []
        self._notes: list[str] = []

    def paragraph(self, text: str, *, level: int | None, marker: str, depth: int, in_table: bool) -> None:
        """Take a paragraph: one of a table's cell, a heading of `level` (from 1), a list item, or none of them."""
        text = joined_halves(text)
        if in_table:
            self._in_cell.append(text)
            return
        cleaned = lines(text)
        if not cleaned:
            return
        self._end_table()
        if level is None and marker:
            marker = one_line(joined_halves(marker))
            self._items.append((depth, marker if _NUMBERED.fullmatch(marker) else "-", cleaned))
            return
        self._end_list()
        if level is None:
            self._builder.paragraph(cleaned)
        else:
            self._builder.heading(level, cleaned)

    def cell(self, text: str) -> None:
        """End the cell that is open with `text`."""
        self._end_list()
        self._cells.append(one_line(joined_halves(BREAK.join([*self._in_cell, text]))))
        self._in_cell.clear()

    def row(self, *, is_header: bool) -> None:
        """End the row that is open."""
        if any(self._cells):
            if is_header and self._headers == len(self._rows):
                self._headers += 1
            self._rows.append(self._cells)
        self._cells = []

    def note(self, text: str) -> str:
        """Keep a footnote for the end; returns the mark to show in its place."""
        self._notes.append(one_line(joined_halves(text)))
        return f"[{len(self._notes)}]"

    def finish(self) -> None:
        """Write what is still open, then the footnotes."""
        self.row(is_header=False)
        self._end_table()
        self._end_list()
        if any(self._notes):
            self._builder.items((0, f"{number}.", note) for number, note in enumerate(self._notes, 1))

    def _end_table(self) -> None:
        if self._cells:
            self.row(is_header=False)
        if self._rows:
            headers = self._headers if self._headers < len(self._rows) else 0
            self._builder.table(self._rows[headers:], self._rows[:headers])
        self._rows, self._headers = [], 0

    def _end_list(self) -> None:
        if self._items:
            self._builder.items(self._items)
        self._items = []
