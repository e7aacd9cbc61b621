"""XLS, the workbooks of Excel 97 to 2003 (and 5), with xlrd."""

from __future__ import annotations

import io
import struct
from itertools import islice

import xlrd
from xlrd.compdoc import CompDocError

from docshelf.documents.html.text import one_line
from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document
from docshelf.documents.office.office_package import titled
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.documents.spreadsheets.number_format import formatter
from docshelf.documents.spreadsheets.sheets import CellCount, Figure, Sheet, add_sheet, hidden_warning
from docshelf.errors import EncryptedDocumentError, ParseFailedError
from docshelf.settings import Limits

_MOST_SHEETS = 1_000
_MOST_MERGED = 100_000
# What xlrd raises when a record is not as it should be; it checks few of them.
_DAMAGED = (
    xlrd.XLRDError,
    CompDocError,
    struct.error,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NameError,
    TypeError,
    ValueError,
    EOFError,
)


def parse_xls(data: bytes, key: str, limits: Limits) -> Document:
    """Read every sheet's cells as they show; formulas by their stored results.

    Raises:
        EmptyDocumentError: no cell holds anything.
        DocumentTooLargeError: the cells or their text exceed a limit.
        EncryptedDocumentError: the workbook needs a password.
        ParseFailedError: the file is damaged.
    """
    builder = PieceBuilder(limits)
    cells = CellCount()
    hidden = 0
    book = _opened(data)
    for number in range(min(book.nsheets, _MOST_SHEETS)):
        sheet = _sheet(book, number, cells)
        add_sheet(builder, sheet)
        hidden += sheet.hidden and bool(sheet.rows)
    return builder.document(titled("", "", key), MediaType.XLS, warnings=hidden_warning(hidden))


def _opened(data: bytes) -> xlrd.book.Book:
    try:
        return xlrd.open_workbook(
            file_contents=data, formatting_info=True, ragged_rows=True, on_demand=True, logfile=io.StringIO()
        )
    except _DAMAGED as error:
        if isinstance(error, xlrd.XLRDError) and "encrypted" in str(error):
            raise EncryptedDocumentError(
                "The workbook needs a password; save a copy without one to make it searchable."
            ) from error
        raise ParseFailedError("The XLS file is damaged: its workbook cannot be read.") from error


def _sheet(book: xlrd.book.Book, number: int, cells: CellCount) -> Sheet:
    try:
        source = book.sheet_by_index(number)
        sheet = Sheet(str(source.name) or "Sheet", hidden=source.visibility != 0)
        for row_number in range(source.nrows):
            row = {}
            for column, cell in enumerate(source.row(row_number)):
                text = _shown(book, cell)
                if text:
                    row[column] = text
            if row:
                cells.add(len(row))
                sheet.rows[row_number] = row
        for first, end, first_column, end_column in islice(source.merged_cells, _MOST_MERGED):
            sheet.merged.append((first, first_column, end - 1, end_column - 1))
        book.unload_sheet(number)
    except _DAMAGED as error:
        raise ParseFailedError("The XLS file is damaged: a sheet cannot be read.") from error
    return sheet


def _shown(book: xlrd.book.Book, cell: xlrd.sheet.Cell) -> str:
    """What the cell shows; empty for an empty one."""
    if cell.ctype == xlrd.XL_CELL_TEXT:
        return one_line(cell.value)
    if cell.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        code = book.format_map[book.xf_list[cell.xf_index].format_key].format_str
        return Figure(formatter(code, from_1904=book.datemode == 1)(cell.value))
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return Figure("TRUE" if cell.value else "FALSE")
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "#N/A"))
    return ""
