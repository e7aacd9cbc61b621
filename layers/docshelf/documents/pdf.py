"""PDF: the text of each page with its number, printed label and place in the outline."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Block, Document, Kind
from docshelf.documents.pdf_engine import Pdf
from docshelf.documents.pdf_margins import margins
from docshelf.documents.pdf_outline import Headings
from docshelf.documents.pdf_pages import PageTexts, read_pages
from docshelf.documents.tiling import shortened, title_from_key
from docshelf.errors import DocumentTooLargeError
from docshelf.settings import Limits

Section = tuple[int, tuple[str, ...]]
"""Where a section of a page starts, and the headings that it stands under."""

_NAMED_PAGES = 20
_LONGEST_LABEL = 50
_LONGEST_DESCRIPTION = 500
_NO_TITLE = re.compile(
    r"(?:\W*(?:untitled|no title).*|\(?(?:title|document|presentation|slide|page|pdf|print|microsoft \w+)\)?[\s\d-]*|"
    r"microsoft (?:word|powerpoint|excel) - .*|.*\.[a-z]{2,5}|(?:[a-z]:|\.{0,2})[\\/].*|[\W\d_]*)",
    re.IGNORECASE | re.DOTALL,
)


def parse_pdf(data: bytes, key: str, limits: Limits) -> Document:
    """Read the text layer; pages count from 1 as they lie in the file, and no block crosses a page.

    Raises:
        EmptyDocumentError: no page has text, or none that can be read.
        EncryptedDocumentError: a password is needed to open it.
        DocumentTooLargeError: more pages than `limits.max_pages` or text than `limits.max_characters`.
        ParseFailedError: the file is damaged so that no page can be read.
    """
    with Pdf(data) as pdf:
        if len(pdf) > limits.max_pages:
            raise DocumentTooLargeError(
                f"The PDF has {len(pdf):,} pages, more than the {limits.max_pages:,} that DOCSHELF_MAX_PAGES allows."
            )
        pages = read_pages(pdf, data, limits)
        outline = pdf.outline()
        text, blocks = _assemble(pdf, pages.texts, Headings(outline.entries))
        title, subject = pdf.property("Title"), pdf.property("Subject")
        warnings = tuple(_warnings(pages, outline.cut, pdf.attachments()))
    return Document(
        title=_title(title) or title_from_key(key),
        text=text,
        blocks=blocks,
        media_type=MediaType.PDF,
        pages=len(pages.texts),
        description=" ".join(subject.split())[:_LONGEST_DESCRIPTION],
        warnings=warnings,
    )


def _assemble(pdf: Pdf, texts: list[str], headings: Headings) -> tuple[str, tuple[Block, ...]]:
    """Join the pages that have text; each section of a page is a block, and so is each of its margins."""
    parts: list[str] = []
    blocks: list[Block] = []
    position = 0
    last = max(page for page, text in enumerate(texts, 1) if text.strip())
    for page, (text, margin) in enumerate(zip(texts, margins(texts), strict=True), 1):
        sections = list(headings.sections(page, text))
        if not text.strip():
            continue
        written = text + ("\n" if page == last else "\n\n")
        label = _label(pdf.page_label(page), page)
        for kind, start, end, path in _cut(sections, margin, len(text), len(written)):
            blocks.append(Block(kind, position + start, position + end, path, page, label))
        parts.append(written)
        position += len(written)
    return "".join(parts), tuple(blocks)


def _cut(
    sections: Sequence[Section], margin: tuple[int, int], length: int, written: int
) -> Iterator[tuple[Kind, int, int, tuple[str, ...]]]:
    """Kind, start, end and heading path of each block of a page: its sections, cut where its margins begin and end."""
    top, bottom = margin
    bottom = written if bottom >= length else bottom
    starts = sorted({start for start, _ in sections} | {top, bottom} - {written})
    paths = dict(sections)
    path = paths[0]
    for start, end in pairwise([*starts, written]):
        path = paths.get(start, path)
        yield Kind.PARAGRAPH if top <= start < bottom else Kind.MARGIN, start, end, path


def _label(label: str, page: int) -> str | None:
    label = "".join(filter(str.isprintable, label)).strip()[:_LONGEST_LABEL]
    return label if label and label != str(page) else None


def _title(title: str) -> str:
    """The title from the file's properties; empty where it is what programs fill in by themselves."""
    title = shortened("".join(character if character.isprintable() else " " for character in title))
    return "" if len(title) < 3 or _NO_TITLE.fullmatch(title) else title


def _warnings(pages: PageTexts, outline_cut: bool, attachments: int) -> list[str]:
    warnings: list[str] = []
    if pages.failed:
        warnings.append(f"{_named(pages.failed)} could not be read.")
    if pages.poor:
        warnings.append(
            f"{_named(pages.poor)}: text was left out, as the fonts do not tell which characters they draw; "
            "run OCR over the PDF and replace the file."
        )
    if outline_cut:
        warnings.append("The outline goes in a circle or is too large; it was cut there.")
    if attachments:
        warnings.append(f"{attachments} attached file{'s are' if attachments > 1 else ' is'} not read.")
    return warnings


def _named(pages: Sequence[int]) -> str:
    named = ", ".join(map(str, pages[:_NAMED_PAGES])) + (" and more" if len(pages) > _NAMED_PAGES else "")
    return f"{'Pages' if len(pages) > 1 else 'Page'} {named}"
