"""XLSB: the binary form of an Excel workbook, its parts read record by record."""

from __future__ import annotations

import re
import struct

from docshelf.documents.html.text import one_line
from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document
from docshelf.documents.office.office_package import Relations, core_properties, titled
from docshelf.documents.office.package import Package, open_package
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.documents.spreadsheets.binary_records import packed_number, records, wide_text
from docshelf.documents.spreadsheets.number_format import Formatter, built_in, formatter, general
from docshelf.documents.spreadsheets.sheets import CellCount, Figure, Sheet, add_sheet, hidden_warning
from docshelf.errors import ParseFailedError
from docshelf.settings import Limits

_FORMAT = "XLSB"
_MOST_SHEETS = 1_000
_MOST_MERGED = 100_000
_WANTED = re.compile(
    r"(?:xl/(?:workbook|sharedStrings|styles|worksheets/[^/]+)\.bin|(?:_rels/|xl/_rels/).*\.rels|docProps/core\.xml)",
    re.IGNORECASE,
)
_ROW, _SHEET, _PROPERTIES, _SHARED, _FORMAT_CODE, _STYLE = 0, 156, 153, 19, 44, 47
_STYLES_BEGIN, _STYLES_END, _MERGED = 617, 618, 176
_ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}


def parse_xlsb(data: bytes, key: str, limits: Limits) -> Document:
    """Read every sheet's cells as they show; formulas by their stored results. Errors are those of `parse_xlsx`."""
    package = open_package(data, limits, _FORMAT, lambda name: _WANTED.fullmatch(name) is not None)
    try:
        return _read(package, key, limits)
    except struct.error as error:
        raise ParseFailedError("The XLSB file is damaged: a record is shorter than it must be.") from error


def _read(package: Package, key: str, limits: Limits) -> Document:
    relations = Relations(package, "xl/workbook.bin")
    found: list[tuple[Sheet, str]] = []
    from_1904 = False
    for kind, payload in records(package.part("xl/workbook.bin") or b""):
        if kind == _PROPERTIES:
            from_1904 = bool(payload[:1] and payload[0] & 1)
        elif kind == _SHEET and len(found) < _MOST_SHEETS:
            (state,) = struct.unpack_from("<I", payload)
            relation, position = wide_text(payload, 8)
            name, _ = wide_text(payload, position)
            part = relations.target(relation) or ""
            if all(part != other for _, other in found):
                found.append((Sheet(name or "Sheet", hidden=state != 0), part))
    reader = _SheetReader(package, from_1904=from_1904)
    builder = PieceBuilder(limits)
    hidden = 0
    for sheet, part in found:
        reader.fill(sheet, package.part(part) or b"")
        add_sheet(builder, sheet)
        hidden += sheet.hidden and bool(sheet.rows)
    title, description = core_properties(package)
    return builder.document(
        titled(title, "", key), MediaType.XLSB, description=description, warnings=hidden_warning(hidden)
    )


class _SheetReader:
    """Reads sheets with the texts and number formats that they share."""

    def __init__(self, package: Package, *, from_1904: bool) -> None:
        self._cells = CellCount()
        shared = records(package.part("xl/sharedStrings.bin") or b"")
        self._texts = [one_line(wide_text(payload, 1)[0]) for kind, payload in shared if kind == _SHARED]
        self._formatters = _formatters(package.part("xl/styles.bin") or b"", from_1904=from_1904)

    def fill(self, sheet: Sheet, content: bytes) -> None:
        """Read the cells of the part `content` into `sheet`."""
        row: dict[int, str] = {}
        for kind, payload in records(content):
            if kind == _ROW:
                row = sheet.rows.setdefault(struct.unpack_from("<I", payload)[0], {})
            elif 1 < kind < 12 or kind == 62:
                column, style = struct.unpack_from("<II", payload)
                text = self._shown(kind, payload, style & 0xFFFFFF)
                if text:
                    self._cells.add(1)
                    row[column] = text
            elif kind == _MERGED and len(sheet.merged) < _MOST_MERGED:
                first, last, first_column, last_column = struct.unpack_from("<IIII", payload)
                sheet.merged.append((first, first_column, last, last_column))
        sheet.rows = {number: cells for number, cells in sheet.rows.items() if cells}

    def _shown(self, kind: int, payload: bytes, style: int) -> str:
        """What a cell shows; formulas (8 to 11) keep their results as the cells of values do."""
        if kind in (6, 8):
            return one_line(wide_text(payload, 8)[0])
        if kind == 62:
            return one_line(wide_text(payload, 9)[0])
        if kind == 7:
            (number,) = struct.unpack_from("<I", payload, 8)
            return self._texts[number] if number < len(self._texts) else ""
        if kind in (4, 10):
            return Figure("TRUE" if payload[8:9] != b"\0" else "FALSE")
        if kind in (3, 11):
            return _ERRORS.get(struct.unpack_from("<B", payload, 8)[0], "#N/A")
        if kind == 2:
            value = packed_number(struct.unpack_from("<I", payload, 8)[0])
        else:
            (value,) = struct.unpack_from("<d", payload, 8)
        write = self._formatters[style] if style < len(self._formatters) else general
        return Figure(write(value))


def _formatters(content: bytes, *, from_1904: bool) -> list[Formatter]:
    """How the numbers of each cell style are written."""
    codes: dict[int, str] = {}
    found: list[Formatter] = []
    in_styles = False
    for kind, payload in records(content):
        if kind == _FORMAT_CODE:
            codes[struct.unpack_from("<H", payload)[0]] = wide_text(payload, 2)[0]
        elif kind in (_STYLES_BEGIN, _STYLES_END):
            in_styles = kind == _STYLES_BEGIN
        elif kind == _STYLE and in_styles:
            (number,) = struct.unpack_from("<H", payload, 2)
            found.append(formatter(codes.get(number, built_in(number)), from_1904=from_1904))
    return found
