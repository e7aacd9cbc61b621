"""A second engine, pdfminer.six, for pages that draw text in which the first finds none."""

from __future__ import annotations

import io
import signal
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from types import FrameType

from pdfminer.converter import PDFPageAggregator
from pdfminer.layout import LTChar, LTContainer, LTItem
from pdfminer.pdfdocument import PDFDocument
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser
from pdfminer.psexceptions import PSException

from docshelf.documents.pdf.characters import Character, Line

_SECONDS = 5.0
_MOST_BYTES = 30_000_000
_DEEPEST = 10
_SAME_LINE = 0.5
_WORD_GAP = 0.2
_FAILURES = (
    PSException,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""What the engine was seen to end with, or may, on damaged files."""


class _OverTimeError(BaseException):
    """The seconds are used up; not an Exception, as the engine goes on after those."""


class SecondEngine:
    """Reads single pages of a PDF, within some seconds of CPU for the whole document; finds nothing beyond these.

    The seconds are counted by a timer of the process, which only its main thread may set: elsewhere it finds nothing.
    """

    def __init__(self, data: bytes) -> None:
        usable = len(data) <= _MOST_BYTES and threading.current_thread() is threading.main_thread()
        self._data, self._left = data, _SECONDS if usable else 0.0

    def page_lines(self, page: int) -> list[Line]:
        """The placed characters of a page, counted from 1; none where it fails or takes too long."""
        lines: list[Line] = []
        if self._left > 0:
            started = time.process_time()
            _within(self._left, lambda: lines.extend(_lines(_characters(self._data, page))))
            self._left -= time.process_time() - started
        return lines


def _within(seconds: float, work: Callable[[], None]) -> None:
    """Do `work`, giving up when it fails or has used `seconds` of CPU."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise _OverTimeError

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            work()
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except (_OverTimeError, *_FAILURES):
        pass  # what it did find until then is kept
    finally:
        signal.signal(signal.SIGVTALRM, before)


def _characters(data: bytes, page: int) -> Iterator[LTChar]:
    resources = PDFResourceManager()
    device = PDFPageAggregator(resources)
    document = PDFDocument(PDFParser(io.BytesIO(data)))
    for found in islice(PDFPage.create_pages(document), page - 1, page):
        PDFPageInterpreter(resources, device).process_page(found)
        shown = device.get_result()
        yield from (one for one in _flat(shown, 0) if shown.is_hoverlap(one) and shown.is_voverlap(one))


def _flat(items: Iterable[LTItem], depth: int) -> Iterator[LTChar]:
    for item in items:
        if isinstance(item, LTChar):
            yield item
        elif isinstance(item, LTContainer) and depth < _DEEPEST:
            yield from _flat(item, depth + 1)


def _lines(characters: Iterable[LTChar]) -> Iterator[Line]:
    """Characters in the order in which they are drawn; another height on the page begins another line."""
    line: Line = []
    for one in characters:
        text = "\ufffd" if one.get_text().startswith("(cid:") else one.get_text()
        if not text:
            continue
        if line and abs(one.y0 - line[-1].bottom) > _SAME_LINE * max(one.height, 1):
            yield line
            line = []
        if line and one.x0 - line[-1].right > _WORD_GAP * one.height:
            line.append(Character(" ", one.x0, one.y0, one.x0, one.y0, made=True))
        line.extend(Character(letter, one.x0, one.y0, one.x1, one.y1) for letter in text)
    if line:
        yield line
