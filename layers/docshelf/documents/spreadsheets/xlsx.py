"""XLSX: sheets, shared texts and number formats, read part by part with the standard library's XML reader."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document
from docshelf.documents.office.office_package import Relations, core_properties, titled
from docshelf.documents.office.package import Package, open_package
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.documents.spreadsheets.number_format import Formatter, built_in, formatter
from docshelf.documents.spreadsheets.sheets import CellCount, Sheet, add_sheet, hidden_warning
from docshelf.documents.spreadsheets.xlsx_notes import add_notes
from docshelf.documents.spreadsheets.xlsx_sheet import Workbook, read_sheet, shared_texts
from docshelf.documents.text.xml_text import attribute, child, children, named, number
from docshelf.settings import Limits

_FORMAT = "XLSX"
_MOST_SHEETS = 1_000
_WANTED = re.compile(r"(?:xl/.*|docProps/core|_rels/\.?|\[Content_Types\])\.(?:xml|rels)", re.IGNORECASE)
_NOT_WANTED = re.compile(r"xl/(?:theme|printerSettings|pivotCache|calcChain|externalLinks)", re.IGNORECASE)


def parse_xlsx(data: bytes, key: str, limits: Limits) -> Document:
    """Read every sheet's cells as they show; formulas by their stored results.

    Raises:
        EmptyDocumentError: no cell holds anything.
        DocumentTooLargeError: the unpacked file, its cells or its text exceed a limit.
        EncryptedDocumentError: a part of the package is encrypted.
        ParseFailedError: the file is damaged.
    """
    package = open_package(
        data, limits, _FORMAT, lambda name: bool(_WANTED.fullmatch(name)) and not _NOT_WANTED.match(name)
    )
    main = Relations(package, "").target_of_type("officeDocument") or "xl/workbook.xml"
    root = package.required(main)
    relations = Relations(package, main)
    workbook = Workbook(
        texts=shared_texts(package.part(relations.target_of_type("sharedStrings") or "xl/sharedStrings.xml")),
        formatters=_formatters(package, relations, from_1904=_from_1904(root)),
        cells=CellCount(),
    )
    builder = PieceBuilder(limits)
    hidden = 0
    read: set[str] = set()
    for element in [sheet for sheets in named(root, "sheets") for sheet in children(sheets, "sheet")][:_MOST_SHEETS]:
        part = relations.target(attribute(element, "id") or "") or ""
        content = package.part(part) if part not in read else None
        read.add(part)
        if content is None:
            workbook.warn("A chart sheet, or a sheet without a part of its own, was left out.")
            continue
        sheet = Sheet(element.get("name") or "Sheet", hidden=element.get("state") in ("hidden", "veryHidden"))
        read_sheet(content, sheet, workbook)
        add_sheet(builder, sheet)
        lost = add_notes(builder, package, part)
        if lost:
            workbook.warn(lost)
        hidden += sheet.hidden and bool(sheet.rows)
    title, description = core_properties(package)
    warnings = [*workbook.warnings, *hidden_warning(hidden)]
    return builder.document(titled(title, "", key), MediaType.XLSX, description=description, warnings=warnings)


def _from_1904(workbook: ET.Element) -> bool:
    properties = child(workbook, "workbookPr")
    return properties is not None and (properties.get("date1904") or "") in ("1", "true")


def _formatters(package: Package, relations: Relations, *, from_1904: bool) -> list[Formatter]:
    """How the numbers of each cell style are written."""
    styles = package.tree(relations.target_of_type("styles") or "xl/styles.xml")
    codes = {
        number(item, "numFmtId"): item.get("formatCode") or "" for item in children(child(styles, "numFmts"), "numFmt")
    }
    identifiers = [number(style, "numFmtId") for style in children(child(styles, "cellXfs"), "xf")]
    return [formatter(codes.get(key, built_in(key)), from_1904=from_1904) for key in identifiers]
