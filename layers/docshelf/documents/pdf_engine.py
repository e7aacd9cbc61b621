"""Opens a PDF with pypdfium2: pages, outline, page labels and properties of a PDF, with types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from types import TracebackType
from typing import Any, Self

import pypdfium2
from pypdfium2 import raw

from docshelf.documents.pdf_characters import Box, Line, read_lines
from docshelf.errors import EncryptedDocumentError, ParseFailedError

_MOST_ENTRIES = 20_000
_DEEPEST_ENTRY = 100
_DEEPEST_FORM = 3
_MOST_DRAWN = 2_000
_REMOVE_PASSWORD = "save a copy without one to make it searchable."  # noqa: S105 - a sentence, not a password


@dataclass(frozen=True, slots=True)
class Entry:
    """One outline entry: its depth from 0, its title, and the page it leads to, counted from 1."""

    depth: int
    title: str
    page: int


@dataclass(slots=True)
class Outline:
    """Entries in reading order; `cut` says that it went in a circle or was too long or deep to be read whole."""

    entries: list[Entry] = field(default_factory=list)
    cut: bool = False


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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._document.close()

    def __len__(self) -> int:
        """The number of pages."""
        return len(self._document)

    def page(self, page: int, most_placed: int) -> list[Line] | str | None:
        """The placed characters of a page, counted from 1, or only its text where they are more than `most_placed`.

        None where the page cannot be read.
        """
        with self._opened(page) as opened:
            if opened is None:
                return None
            if opened.text_page.count_chars() > most_placed:
                return str(opened.text_page.get_text_bounded(*opened.box))
            return read_lines(opened.text_page.raw, opened.box)

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
        return _readable(lambda: self._document.get_page_label(page - 1))

    def property(self, name: str) -> str:
        """The Title, Author, Subject and so on; empty where the PDF gives none."""
        return _readable(lambda: self._document.get_metadata_value(name))

    def attachments(self) -> int:
        """How many files are attached."""
        return int(self._document.count_attachments())

    def outline(self) -> Outline:
        """Read the outline, cutting it where it comes back to an entry that was already read."""
        outline = Outline()
        seen: set[int] = set()
        stack = [(raw.FPDFBookmark_GetFirstChild(self._document, None), 0)]
        while stack:
            pointer, depth = stack.pop()
            if not pointer:
                continue
            address = raw.ctypes.addressof(pointer.contents)
            if address in seen or len(seen) >= _MOST_ENTRIES or depth >= _DEEPEST_ENTRY:
                outline.cut = True
                continue
            seen.add(address)
            outline.entries.extend(self._entry(pointer, depth))
            stack.append((raw.FPDFBookmark_GetNextSibling(self._document, pointer), depth))
            stack.append((raw.FPDFBookmark_GetFirstChild(self._document, pointer), depth + 1))
        return outline

    def _entry(self, pointer: object, depth: int) -> Iterator[Entry]:
        bookmark = pypdfium2.PdfBookmark(pointer, self._document, depth)
        destination = bookmark.get_dest()
        index: int | None = destination.get_index() if destination else None
        if index is not None:
            yield Entry(depth, _readable(bookmark.get_title), index + 1)


def _readable(given: Callable[[], str]) -> str:
    """A name that a PDF gives; empty where it is no text."""
    try:
        return given()
    except UnicodeDecodeError:
        return ""


def _opening_error(code: int | None) -> EncryptedDocumentError | ParseFailedError:
    if code == raw.FPDF_ERR_PASSWORD:
        return EncryptedDocumentError(f"The PDF needs a password to be opened; {_REMOVE_PASSWORD}")
    if code == raw.FPDF_ERR_SECURITY:
        return EncryptedDocumentError(f"The PDF is protected in a way that cannot be opened; {_REMOVE_PASSWORD}")
    return ParseFailedError("The PDF is damaged or not complete: it cannot be opened.")
