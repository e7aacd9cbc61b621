"""PDF: the text of each page with its number, printed label and place in the outline."""

from __future__ import annotations

import re

from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Block, Document, Kind
from docshelf.documents.pdf_engine import Pdf
from docshelf.documents.pdf_outline import Headings
from docshelf.documents.pdf_text import clean_pages
from docshelf.documents.tiling import shortened, title_from_key
from docshelf.errors import DocumentTooLargeError, EmptyDocumentError, ParseFailedError
from docshelf.settings import Limits

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
        EmptyDocumentError: no page has text.
        EncryptedDocumentError: a password is needed to open it.
        DocumentTooLargeError: more pages than `limits.max_pages` or text than `limits.max_characters`.
        ParseFailedError: the file is damaged so that no page can be read.
    """
    with Pdf(data) as pdf:
        if len(pdf) > limits.max_pages:
            raise DocumentTooLargeError(
                f"The PDF has {len(pdf):,} pages, more than the {limits.max_pages:,} that DOCSHELF_MAX_PAGES allows."
            )
        texts, failed = _read_pages(pdf, limits)
        outline = pdf.outline()
        text, blocks = _assemble(pdf, texts, Headings(outline.entries))
        properties = pdf.properties()
        warnings = tuple(_warnings(failed, outline.cut, pdf.attachments()))
    return Document(
        title=_title(properties.get("Title", "")) or title_from_key(key),
        text=text,
        blocks=blocks,
        media_type=MediaType.PDF,
        pages=len(texts),
        description=" ".join(properties.get("Subject", "").split())[:_LONGEST_DESCRIPTION],
        warnings=warnings,
    )


def _read_pages(pdf: Pdf, limits: Limits) -> tuple[list[str], list[int]]:
    """Return the cleaned text of every page, empty for those that failed, and the numbers of those."""
    texts: list[str] = []
    failed: list[int] = []
    length = 0
    for page in range(1, len(pdf) + 1):
        text = pdf.page_text(page)
        if text is None:
            failed.append(page)
        texts.append(text or "")
        length += len(texts[-1])
        if length > limits.max_characters:
            raise DocumentTooLargeError(
                f"The PDF's text has more than the {limits.max_characters:,} characters "
                "that DOCSHELF_MAX_CHARACTERS allows."
            )
    if len(failed) == len(texts):
        raise ParseFailedError("The PDF is damaged: none of its pages can be read.")
    cleaned = clean_pages(texts)
    if not any(text.strip() for text in cleaned):
        count = f"{len(texts):,} pages look like scans" if len(texts) > 1 else "1 page looks like a scan"
        raise EmptyDocumentError(f"The PDF has no text layer ({count}); run OCR over it and replace the file.")
    return cleaned, failed


def _assemble(pdf: Pdf, texts: list[str], headings: Headings) -> tuple[str, tuple[Block, ...]]:
    """Join the pages that have text; each section of a page is a block."""
    parts: list[str] = []
    blocks: list[Block] = []
    position = 0
    last = max(page for page, text in enumerate(texts, 1) if text.strip())
    for page, text in enumerate(texts, 1):
        sections = list(headings.sections(page, text))
        if not text.strip():
            continue
        written = text + ("\n" if page == last else "\n\n")
        label = _label(pdf.page_label(page), page)
        ends = [start for start, _ in sections[1:]] + [len(written)]
        for (start, path), end in zip(sections, ends, strict=True):
            blocks.append(Block(Kind.PARAGRAPH, position + start, position + end, path, page, label))
        parts.append(written)
        position += len(written)
    return "".join(parts), tuple(blocks)


def _label(label: str, page: int) -> str | None:
    label = "".join(filter(str.isprintable, label)).strip()[:_LONGEST_LABEL]
    return label if label and label != str(page) else None


def _title(title: str) -> str:
    """The title from the file's properties; empty where it is what programs fill in by themselves."""
    title = shortened("".join(character if character.isprintable() else " " for character in title))
    return "" if len(title) < 3 or _NO_TITLE.fullmatch(title) else title


def _warnings(failed: list[int], outline_cut: bool, attachments: int) -> list[str]:
    warnings: list[str] = []
    if failed:
        named = ", ".join(map(str, failed[:_NAMED_PAGES])) + (" and more" if len(failed) > _NAMED_PAGES else "")
        warnings.append(f"{'Pages' if len(failed) > 1 else 'Page'} {named} could not be read.")
    if outline_cut:
        warnings.append("The outline goes in a circle or is too large; it was cut there.")
    if attachments:
        warnings.append(f"{attachments} attached file{'s are' if attachments > 1 else ' is'} not read.")
    return warnings
