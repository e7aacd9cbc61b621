"""ODP, packed or flat: slides of OpenDocument presentations, with their notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document
from docshelf.documents.office.odf_package import OpenDocument, style_parents
from docshelf.documents.office.odf_text import OdfWriter
from docshelf.documents.office.office_package import titled
from docshelf.documents.office.pptx_shapes import Shape, by_rows
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.documents.text.xml_text import attribute, child, children, local_name, named
from docshelf.errors import DocumentTooLargeError
from docshelf.settings import Limits

_SHAPES = frozenset(
    "frame custom-shape rect ellipse circle polygon path line connector regular-polygon text-box".split()  # noqa: SIM905
)
_FURNITURE = ("date-time", "footer", "page-number", "header", "page")
_LENGTH = re.compile(r"(-?[0-9]{1,6}(?:\.[0-9]{1,10})?)(cm|mm|in|pt|pc|px)?")
_UNITS = {"cm": 360_000, "mm": 36_000, "in": 914_400, "pt": 12_700, "pc": 152_400, "px": 9_525}


def parse_odp(data: bytes, key: str, limits: Limits) -> Document:
    """Read each slide under its title, then its notes; pages are slides, counted from 1. Errors are those of ODT."""
    source = OpenDocument(data, limits, "ODP")
    content = source.content_tree()
    styles = source.trees_with_styles(content)
    builder = PieceBuilder(limits)
    writer = OdfWriter(builder, styles, style_parents(styles))
    slides = [page for body in named(content, "presentation") for page in children(body, "page")]
    if len(slides) > limits.max_pages:
        raise DocumentTooLargeError(
            f"The presentation has {len(slides):,} slides, more than the {limits.max_pages:,} of DOCSHELF_MAX_PAGES."
        )
    for number, slide in enumerate(slides, 1):
        builder.page = number
        builder.close_headings()
        _write_slide(slide, writer, builder)
    title, description = source.properties(content)
    return builder.document(
        titled(title, builder.first_heading, key), MediaType.ODP, pages=len(slides), description=description
    )


def _write_slide(slide: ET.Element, writer: OdfWriter, builder: PieceBuilder) -> None:
    shapes = [shape for shape in _shapes(slide) if attribute(shape, "class") not in _FURNITURE]
    titles = [shape for shape in shapes if attribute(shape, "class") == "title"]
    for shape in titles:
        builder.heading(1, " ".join(writer.inline(text) for text in named(shape, "p")))
    others = [[_placed(shape)] for shape in shapes if shape not in titles]
    for group in by_rows(others):
        table = child(group[0].element, "table")
        if table is not None:
            writer.table(table)
        else:
            writer.blocks(group[0].element)
    notes = [shape for holder in children(slide, "notes") for shape in _shapes(holder)]
    spoken = [
        writer.inline(text) for shape in notes if attribute(shape, "class") == "notes" for text in named(shape, "p")
    ]
    if any(spoken):
        builder.paragraph("\n".join(["Speaker notes:", *(line for line in spoken if line)]))


def _shapes(parent: ET.Element) -> Iterator[ET.Element]:
    for element in children(parent):
        if local_name(element) in ("g", "a"):
            yield from _shapes(element)
        elif local_name(element) in _SHAPES:
            yield element


def _placed(element: ET.Element) -> Shape:
    top, left, height = (_length(element, name) for name in ("y", "x", "height"))
    return Shape(element, top, left, height)


def _length(element: ET.Element, name: str) -> int:
    """A length in the units of Office; 0 where there is none."""
    found = _LENGTH.fullmatch(attribute(element, name) or "")
    return round(float(found[1]) * _UNITS[found[2] or "px"]) if found else 0
