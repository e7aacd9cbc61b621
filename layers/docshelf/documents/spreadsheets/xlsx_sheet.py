"""One sheet of an XLSX workbook, read as a stream so that a large one never lies in memory as a tree."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from xml.etree import ElementTree as ET

from docshelf.documents.html.text import one_line
from docshelf.documents.spreadsheets.number_format import Formatter, general
from docshelf.documents.spreadsheets.sheets import CellCount, Figure, Sheet
from docshelf.documents.text.xml_text import child, local_name, number, refuse_entities
from docshelf.errors import ParseFailedError

_FORMAT = "XLSX"
_LONGEST_COLUMN = 3
_RANGE = re.compile(r"([A-Za-z]{1,3})([0-9]{1,7}):([A-Za-z]{1,3})([0-9]{1,7})")
_MOST_MERGED = 100_000
_TRUTH = {"1": "TRUE", "0": "FALSE"}


@dataclass(slots=True)
class Workbook:
    """What the sheets of a workbook share."""

    texts: list[str]
    formatters: list[Formatter]
    cells: CellCount
    warnings: list[str] = field(default_factory=list)

    def warn(self, sentence: str) -> None:
        """Add a warning once."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    def shared_text(self, reference: str) -> str:
        """The shared text that a cell names; empty for a number that none has."""
        if not re.fullmatch(r"[0-9]{1,8}", reference, re.ASCII):
            return ""
        return self.texts[int(reference)] if int(reference) < len(self.texts) else ""


def shared_texts(content: bytes | None) -> list[str]:
    """The texts that cells refer to by number.

    Raises:
        ParseFailedError: the part is not well-formed.
    """
    if not content:
        return []
    texts: list[str] = []
    for element in _elements(content):
        if local_name(element) == "si":
            texts.append(_rich_text(element))
            element.clear()
    return texts


def read_sheet(content: bytes, sheet: Sheet, workbook: Workbook) -> None:
    """Fill `sheet` with the cells of the part `content`.

    Raises:
        ParseFailedError: the part is not well-formed.
        DocumentTooLargeError: the workbook has too many cells.
    """
    row_number = -1
    for element in _elements(content):
        tag = element.tag
        if tag.endswith("row"):
            row_number = number(element, "r", row_number + 2) - 1
            row = _row(element, workbook)
            element.clear()
            if row:
                workbook.cells.add(len(row))
                sheet.rows.setdefault(row_number, {}).update(row)
        elif tag.endswith("mergeCell") and len(sheet.merged) < _MOST_MERGED:
            found = _RANGE.fullmatch(element.get("ref") or "")
            if found:
                first, last = _column(found[1]), _column(found[3])
                sheet.merged.append((int(found[2]) - 1, first, int(found[4]) - 1, last))


def _elements(content: bytes) -> Iterator[ET.Element]:
    refuse_entities(content, _FORMAT)
    try:
        for _, element in ET.iterparse(io.BytesIO(content)):  # noqa: S314 - without a DOCTYPE
            yield element
    except (ET.ParseError, ValueError, LookupError) as error:
        raise ParseFailedError(f"The {_FORMAT} file is damaged: a sheet is not well-formed XML.") from error


def _row(element: ET.Element, workbook: Workbook) -> dict[int, str]:
    cells: dict[int, str] = {}
    column = -1
    for cell in element:
        letters = (cell.get("r") or "").rstrip("0123456789")
        column = _column(letters) if letters else column + 1
        if not len(cell):
            continue
        text = _cell(cell, workbook)
        if text:
            cells[column] = text
    return cells


def _cell(cell: ET.Element, workbook: Workbook) -> str:
    kind = cell.get("t") or "n"
    if kind == "inlineStr":
        return _rich_text(child(cell, "is"))
    stored, formula = "", None
    for part in cell:
        name = part.tag[-2:]
        if name in ("}v", "v"):
            stored = (part.text or "").strip()
        elif name in ("}f", "f"):
            formula = part.text
    if not stored:
        if formula and kind == "n":
            workbook.warn("Some formulas have no stored result and are shown as formulas.")
            return one_line(f"={formula}")
        return ""
    if kind == "s":
        return workbook.shared_text(stored)
    if kind == "b":
        return Figure(_TRUTH.get(stored, stored))
    if kind == "d":
        return Figure(one_line(stored.removesuffix("T00:00:00").removesuffix("Z").replace("T", " ")))
    if kind in ("str", "e"):
        return one_line(stored)
    return _number(stored, cell.get("s") or "0", workbook)


def _number(stored: str, style: str, workbook: Workbook) -> str:
    try:
        value = float(stored)
    except ValueError:
        return one_line(stored)
    known = style.isascii() and style.isdigit() and len(style) < 6 and int(style) < len(workbook.formatters)
    return Figure((workbook.formatters[int(style)] if known else general)(value))


def _rich_text(element: ET.Element | None) -> str:
    """Text of the runs, without the reading aids that stand beside East Asian ones."""
    if element is None:
        return ""
    parts: list[str] = []
    for part in element:
        name = local_name(part)
        if name == "t":
            parts.append(part.text or "")
        elif name == "r":
            parts.extend(text.text or "" for text in part if local_name(text) == "t")
    return one_line("".join(parts))


@lru_cache(maxsize=20_000)
def _column(letters: str) -> int:
    """Column of a cell reference, counted from 0; the first for what is no reference."""
    value = 0
    for letter in letters.replace("$", "").upper()[:_LONGEST_COLUMN]:
        value = value * 26 + max(0, ord(letter) - 64)
    return max(0, value - 1)
