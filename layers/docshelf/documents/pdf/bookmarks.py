"""The outline that a PDF itself gives: titles and the pages that they lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pypdfium2
from pypdfium2 import raw

_MOST_ENTRIES = 20_000
_DEEPEST_ENTRY = 100


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


def read_outline(document: pypdfium2.PdfDocument) -> Outline:
    """Read the outline, cutting it where it comes back to an entry that was already read."""
    outline = Outline()
    seen: set[int] = set()
    stack = [(raw.FPDFBookmark_GetFirstChild(document, None), 0)]
    while stack:
        pointer, depth = stack.pop()
        if not pointer:
            continue
        address = raw.ctypes.addressof(pointer.contents)
        if address in seen or len(seen) >= _MOST_ENTRIES or depth >= _DEEPEST_ENTRY:
            outline.cut = True
            continue
        seen.add(address)
        outline.entries.extend(_entry(document, pointer, depth))
        stack.append((raw.FPDFBookmark_GetNextSibling(document, pointer), depth))
        stack.append((raw.FPDFBookmark_GetFirstChild(document, pointer), depth + 1))
    return outline


def _entry(document: pypdfium2.PdfDocument, pointer: object, depth: int) -> Iterator[Entry]:
    bookmark = pypdfium2.PdfBookmark(pointer, document, depth)
    destination = bookmark.get_dest()
    index: int | None = destination.get_index() if destination else None
    if index is not None:
        yield Entry(depth, readable(bookmark.get_title), index + 1)


def readable(given: Callable[[], str]) -> str:
    """A name that a PDF gives; empty where it is no text."""
    try:
        return given()
    except UnicodeDecodeError:
        return ""
