"""The one-line citation of a passage or document, in full or as much of it as fits."""

from __future__ import annotations

from datetime import datetime

from docshelf.mcp_server.display import argument, clean, count, date, key, quoted
from docshelf.mcp_server.shelf import DocumentRecord, Passage
from docshelf.mcp_server.tokens import clip, cost

_SEPARATOR = " | "
_MAX_TITLE = 120
_MAX_HEADING = 80
_MAX_HEADINGS = 200
_MAX_LABEL = 20
_OTHER_SOURCES = 3
_MAX_OTHER_SOURCES = 240


def passage_citation(number: int, passage: Passage, room: int) -> str:
    """`[n] source | "title" | page or lines | headings | dates | also in`, of at most `room` hundredths of a token.

    The other sources give way first, then the headings and the title; the source key is cut only when it alone is too
    long.
    """
    place = passage_place(passage)
    headings = heading_path(passage.headings)
    title = quoted(passage.title, _MAX_TITLE) if passage.title.strip() else ""
    dates = _dates(passage.indexed_at, passage.modified_at)
    source = f"[{number}] {key(passage.source)}"
    full = [source, title, place, headings, dates]
    return _fitting(
        [[*full, also_in(passage.also_in)], full, [source, title, place, dates], [source, place, dates]], room
    )


def document_citation(record: DocumentRecord, room: int) -> str:
    """`source | "title" | pages | dates`, of at most `room` hundredths of a token."""
    title = quoted(record.title, _MAX_TITLE) if record.title.strip() else ""
    pages = count(record.pages, "page") if record.pages is not None else ""
    dates = _dates(record.indexed_at, record.modified_at)
    source = key(record.source)
    return _fitting([[source, title, pages, dates], [source, pages, dates]], room)


def passage_place(passage: Passage) -> str:
    """The page, or the lines where there are no pages."""
    if passage.page is not None:
        return page(passage.page, passage.page_label)
    if passage.lines:
        return _range("line", passage.lines)
    return _range("text line", passage.text_lines) if passage.text_lines else ""


def page(number: int, label: str | None) -> str:
    """The page as counted, and the printed number where it differs."""
    printed = f" (printed {quoted(label, _MAX_LABEL)})" if label and label.strip() != str(number) else ""
    return f"page {number}{printed}"


def heading_path(headings: tuple[str, ...]) -> str:
    """The headings, outermost first; of a long path the innermost ones."""
    shown: list[str] = []
    room = _MAX_HEADINGS
    for heading in reversed(headings):
        text = clean(heading, _MAX_HEADING)
        room -= len(text) + 3
        if room < 0:
            shown.append("…")
            break
        if text:
            shown.append(text)
    return " > ".join(reversed(shown))


def also_in(sources: tuple[str, ...]) -> str:
    """The first of the other sources that say the same, and how many more there are; empty where there are none."""
    shown: list[str] = []
    room = _MAX_OTHER_SOURCES
    for source in sources[:_OTHER_SOURCES]:
        # Written so that it cannot be taken for two sources, or for the count.
        name = argument(source) if ", " in source or " and " in source else key(source)
        room -= len(name)
        if room < 0:
            break
        shown.append(name)
    left = len(sources) - len(shown)
    if not shown:
        return f"also in {count(left, 'other document')}" if left else ""
    return f"also in: {', '.join(shown)}{f' and {left:,} more' if left else ''}"


def _range(noun: str, lines: tuple[int, int]) -> str:
    first, last = lines
    return f"{noun} {first}" if first == last else f"{noun}s {first}-{last}"


def _dates(indexed: datetime | None, modified: datetime | None) -> str:
    return f"indexed {date(indexed)}, modified {date(modified)}"


def _fitting(forms: list[list[str]], room: int) -> str:
    line = ""
    for form in forms:
        line = _SEPARATOR.join(part for part in form if part)
        if cost(line) <= room:
            return line
    return clip(line, room - cost("…")) + "…"
