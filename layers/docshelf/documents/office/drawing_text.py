"""Text of DrawingML, which slides, charts and diagrams share: paragraphs with their levels, and tables."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree as ET

from docshelf.documents.html.text import BREAK, lines, one_line
from docshelf.documents.text.xml_text import child, children, local_name, named, number

_MOST_SPANNED_ROWS = 1_000


@dataclass(frozen=True, slots=True)
class Paragraph:
    """`level` counts from 0; `marker` is "-", "1." or, where the paragraph says that it has none, ""; else None."""

    text: str
    level: int = 0
    marker: str | None = None


def paragraphs(body: ET.Element | None) -> list[Paragraph]:
    """The paragraphs of a text body that are not blank; a line break within one becomes a line end."""
    found: list[Paragraph] = []
    counted: dict[int, int] = {}
    for element in children(body, "p"):
        text = lines("".join(_runs(element)))
        if not text:
            continue
        properties = child(element, "pPr")
        level = max(0, min(number(properties, "lvl"), 8)) if properties is not None else 0
        kinds = (
            {local_name(item) for item in properties if isinstance(item.tag, str)} if properties is not None else set()
        )
        counted = {depth: count for depth, count in counted.items() if depth <= level}
        marker = "-" if kinds & {"buChar", "buBlip"} else ("" if "buNone" in kinds else None)
        if "buAutoNum" in kinds:
            counted[level] = counted.get(level, 0) + 1
            marker = f"{counted[level]}."
        else:
            counted.pop(level, None)
        found.append(Paragraph(text, level, marker))
    return found


def _runs(paragraph: ET.Element) -> list[str]:
    """Texts of runs, fields, breaks and formulas; of alternatives only the first that says something."""
    parts: list[str] = []
    stack = list(paragraph)[::-1]
    while stack:
        element = stack.pop()
        name = local_name(element)
        if name == "t":
            parts.append(element.text or "")
        elif name == "br":
            parts.append(BREAK)
        elif name == "fld" and (element.get("type") or "").startswith("slidenum"):
            continue
        elif name == "AlternateContent":
            stack.extend(alternative(element)[::-1])
        elif name not in ("pPr", "rPr", "endParaRPr"):
            stack.extend(list(element)[::-1])
    return parts


def alternative(element: ET.Element) -> list[ET.Element]:
    """The content of the alternative to read: the first that has text, else the first."""
    options = [list(option) for option in children(element, "Choice", "Fallback")]
    return next(
        (option for option in options if any(next(named(item, "t"), None) is not None for item in option)),
        options[0] if options else [],
    )


def table_rows(table: ET.Element) -> tuple[list[list[str]], int]:
    """Rows of cell texts, a cell that spans rows repeated in each; and how many of the first are headers (0 or 1)."""
    rows: list[list[str]] = []
    repeated: dict[int, int] = {}
    for row in children(table, "tr"):
        cells: list[str] = []
        for column, cell in enumerate(children(row, "tc")):
            text = one_line(BREAK.join(paragraph.text for paragraph in paragraphs(child(cell, "txBody"))))
            continues = cell.get("vMerge") in ("1", "true") and repeated.get(column, 0) < _MOST_SPANNED_ROWS
            repeated[column] = repeated.get(column, 0) + 1 if continues else 0
            above = rows[-1][column] if rows and column < len(rows[-1]) else ""
            cells.append(above if continues and not text else text)
        rows.append(cells)
    properties = child(table, "tblPr")
    has_header = properties is not None and properties.get("firstRow") in ("1", "true") and len(rows) > 1
    return rows, int(has_header)
