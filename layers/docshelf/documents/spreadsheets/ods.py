"""ODS, packed or flat: sheets of OpenDocument spreadsheets, read as a stream."""

from __future__ import annotations

import io
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from docshelf.documents.html.text import BREAK, one_line
from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document
from docshelf.documents.office.odf_package import OpenDocument
from docshelf.documents.office.office_package import titled
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.documents.spreadsheets.number_format import general
from docshelf.documents.spreadsheets.sheets import CellCount, Figure, Sheet, add_sheet, hidden_warning
from docshelf.documents.text.xml_text import (
    attribute,
    attributes,
    child,
    children,
    local_name,
    number,
    refuse_entities,
    text_of,
    whole_number,
)
from docshelf.errors import ParseFailedError
from docshelf.settings import Limits

_FORMAT = "ODS"
_MOST_SHEETS = 1_000
_MOST_REPEATED_COLUMNS = 100
_MOST_REPEATED_ROWS = 100
_MOST_MERGED = 100_000


def parse_ods(data: bytes, key: str, limits: Limits) -> Document:
    """Read every sheet's cells as they show. Errors are those of `parse_xlsx`."""
    source = OpenDocument(data, limits, _FORMAT)
    refuse_entities(source.content, _FORMAT)
    builder = PieceBuilder(limits)
    reader = _Reader()
    hidden = 0
    for sheet in reader.sheets(source.content):
        add_sheet(builder, sheet)
        hidden += sheet.hidden and bool(sheet.rows)
    title, description = source.properties()
    return builder.document(
        titled(title or reader.title, "", key),
        MediaType.ODS,
        description=description,
        warnings=hidden_warning(hidden),
    )


class _Reader:
    """Follows the stream of elements from sheet to sheet; `title` is a flat file's own."""

    def __init__(self) -> None:
        self.title = ""
        self._cells = CellCount()
        self._hidden_styles: set[str] = set()
        self._depth = 0
        self._row_number = 0
        self._sheet: Sheet | None = None

    def sheets(self, content: bytes) -> Iterator[Sheet]:
        """Each sheet as soon as it is read.

        Raises:
            ParseFailedError: the content is not well-formed.
            DocumentTooLargeError: there are too many cells.
        """
        found = 0
        try:
            for event, element in ET.iterparse(io.BytesIO(content), events=("start", "end")):  # noqa: S314
                name = element.tag.rpartition("}")[2]
                if event == "start":
                    if name == "table":
                        self._start(element)
                elif name == "table" and self._depth:
                    self._depth -= 1
                    if not self._depth and self._sheet is not None and found < _MOST_SHEETS:
                        found += 1
                        yield self._sheet
                        element.clear()
                else:
                    self._end(name, element)
        except (ET.ParseError, ValueError, LookupError) as error:
            raise ParseFailedError(f"The {_FORMAT} file is damaged: its content is not well-formed XML.") from error

    def _start(self, element: ET.Element) -> None:
        if not self._depth:
            style = attribute(element, "style-name") or ""
            self._sheet = Sheet(attribute(element, "name") or "Sheet", hidden=style in self._hidden_styles)
            self._row_number = 0
        self._depth += 1

    def _end(self, name: str, element: ET.Element) -> None:
        if name == "style":
            properties = child(element, "table-properties")
            if properties is not None and attribute(properties, "display") == "false":
                self._hidden_styles.add(attribute(element, "name") or "")
        elif name == "title" and not self._depth and not self.title:
            self.title = text_of(element)
        elif name == "table-row" and self._depth == 1 and self._sheet is not None:
            self._add_row(element, self._sheet)
            element.clear()

    def _add_row(self, element: ET.Element, sheet: Sheet) -> None:
        """Add a row, as often as it is repeated; an empty one only moves the next ones down."""
        times = max(1, number(element, "number-rows-repeated", 1))
        row = self._row(element, sheet)
        if row:
            for offset in range(min(times, _MOST_REPEATED_ROWS)):
                self._cells.add(len(row))
                sheet.rows[self._row_number + offset] = dict(row)
        self._row_number += times

    def _row(self, element: ET.Element, sheet: Sheet) -> dict[int, str]:
        row: dict[int, str] = {}
        column = 0
        for cell in children(element, "table-cell", "covered-table-cell"):
            stated = attributes(cell)
            times = max(1, whole_number(stated.get("number-columns-repeated"), 1))
            text = _shown(cell, stated) if len(cell) or len(stated) > 1 else ""
            if text:
                for offset in range(min(times, _MOST_REPEATED_COLUMNS)):
                    row[column + offset] = text
                spanned = whole_number(stated.get("number-rows-spanned"), 1)
                if spanned > 1 and len(sheet.merged) < _MOST_MERGED:
                    sheet.merged.append((self._row_number, column, self._row_number + spanned - 1, column))
            column += times
        return row


def _shown(cell: ET.Element, stated: dict[str, str]) -> str:
    """What the cell shows: the text that was written with it, else its value."""
    kind = stated.get("value-type", "")
    if kind == "date":
        return Figure(one_line(stated.get("date-value", "").replace("T", " ").removesuffix(" 00:00:00")[:40]))
    text = one_line(BREAK.join("".join(_texts(part)) for part in children(cell, "p", "h")))
    if kind in ("float", "percentage", "currency", "boolean", "time"):
        return Figure(text or _value(stated))
    return text


def _texts(paragraph: ET.Element) -> Iterator[str]:
    """Text of a cell's paragraph, without comments and with the spaces that are written as elements."""
    yield paragraph.text or ""
    for part in paragraph:
        if local_name(part) in ("s", "tab", "line-break"):
            yield " "
        elif local_name(part) != "annotation":
            yield from _texts(part)
        yield part.tail or ""


def _value(stated: dict[str, str]) -> str:
    value = stated.get("value") or stated.get("boolean-value") or stated.get("time-value") or ""
    try:
        return general(float(value))
    except ValueError:
        return one_line(value)
