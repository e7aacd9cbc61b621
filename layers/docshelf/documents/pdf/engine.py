"""Opens a PDF with pypdfium2: pages, outline, page labels and properties of a PDF, with types."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from types import TracebackType
from typing import Any, Self

import pypdfium2
from pypdfium2 import raw

from docshelf.documents.pdf.annotations import AnnotationReader, Annotations, annotation, pinned_files
from docshelf.documents.pdf.bookmarks import Outline, read_outline, readable
from docshelf.documents.pdf.characters import Box, Line, read_lines
from docshelf.documents.pdf.rules import RuleReader
from docshelf.errors import EncryptedDocumentError, ParseFailedError

_DEEPEST_FORM = 3
_MOST_DRAWN = 2_000
_REMOVE_PASSWORD = "save a copy without one to make it searchable."  # noqa: S105 - a sentence, not a password

Pinned = tuple[int, int]
"""Where a file is attached: its page, counted from 1, or 0 for the whole document; and its number there."""


@dataclass(frozen=True, slots=True)
class PageContent:
    """The placed characters of a page, or only its text; the boxes of its ruling lines; form fields and notes."""

    lines: list[Line] | str
    rules: list[Box]
    annotations: Annotations


@dataclass(frozen=True, slots=True)
class _Opened:
    page: Any
    text_page: Any
    box: Box


class Pdf:
    """An open PDF; use it as a context manager."""

    def __init__(self, data: bytes) -> None:
        """Open `data`.

        Raises:
            EncryptedDocumentError: a password is needed.
            ParseFailedError: it is too damaged to be opened.
        """
        try:
            self._document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise _opening_error(error.err_code) from error
        self._rules = RuleReader()
        self._annotations = AnnotationReader(self._document)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._annotations.close()
        self._document.close()

    def __len__(self) -> int:
        """The number of pages."""
        return len(self._document)

    def page(self, page: int, most_placed: int) -> PageContent | None:
        """What a page, counted from 1, holds; no more than its text where it has over `most_placed` characters.

        None where the page cannot be read.
        """
        with self._opened(page) as opened:
            if opened is None:
                return None
            annotations = self._annotations.read(opened.page)
            if opened.text_page.count_chars() > most_placed:
                return PageContent(str(opened.text_page.get_text_bounded(*opened.box)), [], annotations)
            lines = read_lines(opened.text_page.raw, opened.box)
            return PageContent(lines, self._rules.rules(opened.page.raw) if lines else [], annotations)

    def draws_text(self, page: int) -> bool:
        """Whether a page, counted from 1, has text among the first things that it draws."""
        with self._opened(page) as opened:
            drawn = islice(opened.page.get_objects(max_depth=_DEEPEST_FORM), _MOST_DRAWN) if opened else ()
            with suppress(pypdfium2.PdfiumError):
                return any(one.type == raw.FPDF_PAGEOBJ_TEXT for one in drawn)
        return False

    @contextmanager
    def _opened(self, page: int) -> Iterator[_Opened | None]:
        """A page while it is open; None where it cannot be read."""
        with ExitStack() as stack:
            try:
                opened = self._document[page - 1]
                stack.callback(opened.close)
                text_page = opened.get_textpage()
                stack.callback(text_page.close)
                box = opened.get_bbox()
            except pypdfium2.PdfiumError:
                yield None
            else:
                yield _Opened(opened, text_page, box)

    def page_label(self, page: int) -> str:
        """The printed number of a page counted from 1; empty where the PDF gives none."""
        return readable(lambda: self._document.get_page_label(page - 1))

    def property(self, name: str) -> str:
        """The Title, Author, Subject and so on; empty where the PDF gives none."""
        return readable(lambda: self._document.get_metadata_value(name))

    def count_attached(self) -> int:
        """How many files are attached to the document as a whole."""
        return int(raw.FPDFDoc_GetAttachmentCount(self._document))

    def attached(self, most: int) -> Iterator[tuple[Pinned, Any]]:
        """The files attached to the document, then those pinned to its pages, up to `most`: their places and handles.

        A handle is good until the next is asked for.
        """
        whole = min(self.count_attached(), most)
        for number in range(whole):
            yield (0, number), raw.FPDFDoc_GetAttachment(self._document, number)
        pinned = ((page, number) for page in range(1, len(self) + 1) for number in self._pinned(page))
        for place in islice(pinned, most - whole):
            with self.attachment(place) as file:
                yield place, file

    @contextmanager
    def attachment(self, place: Pinned) -> Iterator[Any]:
        """The handle of one file; None where there is none."""
        page, number = place
        if not page:
            yield raw.FPDFDoc_GetAttachment(self._document, number)
            return
        with closing(self._document[page - 1]) as opened, annotation(opened, number) as one:
            yield raw.FPDFAnnot_GetFileAttachment(one) or None

    def _pinned(self, page: int) -> list[int]:
        try:
            with closing(self._document[page - 1]) as opened:
                return pinned_files(opened)
        except pypdfium2.PdfiumError:
            return []

    def outline(self) -> Outline:
        """Read the outline, cutting it where it comes back to an entry that was already read."""
        return read_outline(self._document)


def _opening_error(code: int | None) -> EncryptedDocumentError | ParseFailedError:
    if code == raw.FPDF_ERR_PASSWORD:
        return EncryptedDocumentError(f"The PDF needs a password to be opened; {_REMOVE_PASSWORD}")
    if code == raw.FPDF_ERR_SECURITY:
        return EncryptedDocumentError(f"The PDF is protected in a way that cannot be opened; {_REMOVE_PASSWORD}")
    return ParseFailedError("The PDF is damaged or not complete: it cannot be opened.")
