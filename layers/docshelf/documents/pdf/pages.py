"""The text of every page of a PDF, each read in the way that suits it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from docshelf.documents.pdf.characters import Line
from docshelf.documents.pdf.engine import Pdf
from docshelf.documents.pdf.fields import labelled, place_fields
from docshelf.documents.pdf.lines import lines_text
from docshelf.documents.pdf.marks import unmarked
from docshelf.documents.pdf.quality import letters, sift
from docshelf.documents.pdf.text import clean_pages
from docshelf.errors import DocumentTooLargeError, EmptyDocumentError, ParseFailedError
from docshelf.settings import Limits

if TYPE_CHECKING:
    from docshelf.documents.pdf.fallback import SecondEngine

_BETTER = 1.2
_MOST_PLACED = 2_000_000  # looking at every character's place costs 5 µs for each
_MOST_ON_PAGE = 200_000


@dataclass(slots=True)
class PageTexts:
    """The text of each page with marks at its tables, and its notes, both empty where there are none.

    `failed`, `poor` and `cut` are the numbers of pages that failed, that lost some text, and whose notes or form fields
    were too many or too long. `files` counts what is pinned to pages.
    """

    texts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    poor: list[int] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    files: int = 0

    def has_text(self) -> bool:
        """Whether anything can be read on any page."""
        return any(text.strip() for text in (*self.texts, *self.notes))


def read_pages(pdf: Pdf, data: bytes, limits: Limits) -> PageTexts:
    """Read all pages of `pdf`, which was opened from `data`, and repair their text.

    Raises:
        DocumentTooLargeError: more text than `limits.max_characters`.
        EmptyDocumentError: no page has text that can be read.
        ParseFailedError: no page can be opened.
    """
    pages = PageTexts()
    reader = _PageReader(pdf, data, pages)
    length = 0
    for page in range(1, len(pdf) + 1):
        text, notes = reader.read(page, min(_MOST_ON_PAGE, _MOST_PLACED - length))
        pages.texts.append(text)
        pages.notes.append(notes)
        length += len(text) + len(notes)
        if length > limits.max_characters:
            raise DocumentTooLargeError(
                f"The PDF's text has more than the {limits.max_characters:,} characters "
                "that DOCSHELF_MAX_CHARACTERS allows."
            )
    if len(pages.failed) == len(pages.texts):
        raise ParseFailedError("The PDF is damaged: none of its pages can be read.")
    cleaned = clean_pages([*pages.texts, *pages.notes])
    pages.texts, pages.notes = cleaned[: len(pdf)], cleaned[len(pdf) :]
    if not pages.has_text():
        raise _empty(pages)
    return pages


class _PageReader:
    """Reads pages by the places of their characters, those without text once more by the second engine."""

    def __init__(self, pdf: Pdf, data: bytes, pages: PageTexts) -> None:
        self._pdf, self._data, self._pages = pdf, data, pages

    def read(self, page: int, most_placed: int) -> tuple[str, str]:
        """Text and notes of a page, counted from 1; empty where it cannot be read.

        Nothing but its characters is mended on a page that has more than `most_placed` of them.
        """
        found = self._pdf.page(page, most_placed)
        if found is None:
            self._pages.failed.append(page)
            return "", ""
        self._pages.files += found.annotations.files
        if found.annotations.cut:
            self._pages.cut.append(page)
        notes = found.annotations.notes
        if isinstance(found.lines, str):
            return unmarked(found.lines), "\n".join([*map(labelled, found.annotations.fields), *notes])
        lines = self._readable(page, found.lines)
        unplaced = place_fields(lines, found.annotations.fields)
        return lines_text(lines, found.rules), "\n".join([*unplaced, *notes])

    def _readable(self, page: int, lines: list[Line]) -> list[Line]:
        """What can be read of `lines`, or what the second engine finds in their stead."""
        sifted = sift(lines)
        if sifted.is_poor or (not sifted.lines and self._pdf.draws_text(page)):
            other = sift(self._second.page_lines(page))
            if letters(other.lines) > _BETTER * letters(sifted.lines):
                sifted = other
        if sifted.is_poor:
            self._pages.poor.append(page)
        return sifted.lines

    @cached_property
    def _second(self) -> SecondEngine:
        from docshelf.documents.pdf.fallback import SecondEngine  # costs 0.2 s, where it is not loaded yet

        return SecondEngine(self._data)


def _empty(pages: PageTexts) -> EmptyDocumentError:
    if pages.poor:
        return EmptyDocumentError(
            "The PDF's text layer is rubbish (its fonts do not tell which characters they draw); "
            "run OCR over it and replace the file.",
            len(pages.texts),
        )
    count = f"{len(pages.texts):,} pages look like scans" if len(pages.texts) > 1 else "1 page looks like a scan"
    return EmptyDocumentError(
        f"The PDF has no text layer ({count}); run OCR over it and replace the file.", len(pages.texts)
    )
