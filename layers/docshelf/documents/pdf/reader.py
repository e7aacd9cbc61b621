"""PDF: the text of each page with its number, printed label and place in the outline."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document
from docshelf.documents.pdf.attachments import unread_attachments
from docshelf.documents.pdf.blocks import assemble
from docshelf.documents.pdf.engine import Pdf
from docshelf.documents.pdf.outline import Headings
from docshelf.documents.pdf.pages import PageTexts, read_pages
from docshelf.documents.tiling import shortened, title_from_key
from docshelf.errors import DocumentTooLargeError
from docshelf.settings import Limits

_NAMED_PAGES = 20
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
        text, blocks = assemble(pages, pdf.page_label, Headings(outline.entries))
        title, subject = pdf.property("Title"), pdf.property("Subject")
        warnings = tuple(_warnings(pages, outline.cut, pdf.count_attached() + pages.files))
    return Document(
        title=_title(title) or title_from_key(key),
        text=text,
        blocks=blocks,
        media_type=MediaType.PDF,
        pages=len(pages.texts),
        description=" ".join(subject.split())[:_LONGEST_DESCRIPTION],
        warnings=warnings,
    )


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
    if pages.cut:
        warnings.append(f"{_named(pages.cut)}: not all notes and form fields were read, as there are too many.")
    if attachments:
        warnings.append(unread_attachments(attachments))
    return warnings


def _named(pages: Sequence[int]) -> str:
    named = ", ".join(map(str, pages[:_NAMED_PAGES])) + (" and more" if len(pages) > _NAMED_PAGES else "")
    return f"{'Pages' if len(pages) > 1 else 'Page'} {named}"
