"""PPTX: slides as pages, their titles as headings, text in reading order, tables, charts, diagrams, speaker notes."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document
from docshelf.documents.office.drawing_text import paragraphs
from docshelf.documents.office.office_package import Relations, core_properties, titled
from docshelf.documents.office.package import Package, open_package
from docshelf.documents.office.pptx_shapes import is_placeholder, shapes_of
from docshelf.documents.office.pptx_slide import SlideWriter
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.documents.text.xml_text import attribute, child, children, number
from docshelf.errors import DocumentTooLargeError, ParseFailedError
from docshelf.settings import Limits

_FORMAT = "PPTX"
_WANTED = re.compile(
    r"(?:ppt/(?:[^/]+|(?:slides|notesSlides|charts|diagrams|_rels)/.*)|_rels/\.?|docProps/core)\.(?:xml|rels)",
    re.IGNORECASE,
)


def parse_pptx(data: bytes, key: str, limits: Limits) -> Document:
    """Read each slide under its title, then its speaker notes; pages are slides, counted from 1.

    Raises:
        EmptyDocumentError: there is no text.
        DocumentTooLargeError: the unpacked file, its slides or its text exceed a limit.
        EncryptedDocumentError: a part of the package is encrypted.
        ParseFailedError: the file is damaged.
    """
    package = open_package(data, limits, _FORMAT, lambda name: _WANTED.fullmatch(name) is not None)
    main = Relations(package, "").target_of_type("officeDocument") or "ppt/presentation.xml"
    presentation = package.required(main)
    relations = Relations(package, main)
    slides = [relations.target(_relation(slide)) for slide in children(child(presentation, "sldIdLst"), "sldId")]
    if len(slides) > limits.max_pages:
        raise DocumentTooLargeError(
            f"The presentation has {len(slides):,} slides, more than the {limits.max_pages:,} of DOCSHELF_MAX_PAGES."
        )
    builder = PieceBuilder(limits)
    warnings = _read_slides(package, slides, number(presentation, "firstSlideNum", 1), builder)
    title, description = core_properties(package)
    return builder.document(
        titled(title, builder.first_heading, key),
        MediaType.PPTX,
        pages=len(slides),
        description=description,
        warnings=warnings,
    )


def _read_slides(package: Package, slides: list[str | None], first: int, builder: PieceBuilder) -> list[str]:
    """Read each slide, the first of which has the number `first`; return what was lost."""
    warnings: list[str] = []
    read: set[str | None] = set()
    for page, part in enumerate(slides, 1):
        if part in read:
            warnings.append("A slide stands in the presentation more than once; it was read once.")
            continue
        read.add(part)
        builder.page = page
        builder.page_label = str(first + page - 1) if first != 1 else None
        builder.close_headings()
        try:
            _read_slide(package, part or "", builder, warnings)
        except ParseFailedError:
            warnings.append(f"Slide {page} is damaged or missing and was left out.")
    return warnings


def _relation(slide: ET.Element) -> str:
    """The relation that leads to a slide: an entry also has a number of its own, called `id` too."""
    return next((value for name, value in slide.items() if name.endswith("}id")), "")


def _read_slide(package: Package, part: str, builder: PieceBuilder, warnings: list[str]) -> None:
    root = package.required(part)
    relations = Relations(package, part)
    if attribute(root, "show") in ("0", "false"):
        warnings.append(f"Slide {builder.page} is hidden in the presentation; it was read too.")
    SlideWriter(package, relations, builder, warnings).write(child(root, "cSld", "spTree"))
    notes_part = relations.target_of_type("notesSlide")
    notes = package.tree(notes_part) if notes_part else None
    spoken = [
        paragraph.text
        for shape in shapes_of(child(notes, "cSld", "spTree"))
        if is_placeholder(shape.element, "body")
        for paragraph in paragraphs(child(shape.element, "txBody"))
    ]
    if spoken:
        builder.paragraph("\n".join(["Speaker notes:", *spoken]))
