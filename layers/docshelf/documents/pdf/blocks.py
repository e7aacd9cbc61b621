"""From the texts of PDF pages to one text and the blocks that tile it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from docshelf.documents.model import Block, Kind
from docshelf.documents.pdf.margins import margins
from docshelf.documents.pdf.marks import TableSpan, take_marks
from docshelf.documents.pdf.outline import Headings
from docshelf.documents.pdf.pages import PageTexts
from docshelf.documents.tiling import bounded_opening

Section = tuple[int, tuple[str, ...]]
"""Where a section of a page starts, and the headings that it stands under."""

_LONGEST_LABEL = 50


@dataclass(frozen=True, slots=True)
class _Page:
    """A page as it is written; `position` is where it starts in the whole text, `length` that of its own text."""

    number: int
    label: str | None
    position: int
    text: str
    length: int
    tables: Sequence[TableSpan]
    margin: tuple[int, int]


def assemble(pages: PageTexts, page_label: Callable[[int], str], headings: Headings) -> tuple[str, tuple[Block, ...]]:
    """Join the pages that have text; each section, table and margin of a page is a block, and so are its notes."""
    taken = [take_marks(text) for text in pages.texts]
    texts = [text for text, _ in taken]
    shown = [bool(text.strip() or notes.strip()) for text, notes in zip(texts, pages.notes, strict=True)]
    last = max(number for number, has_text in enumerate(shown, 1) if has_text)
    parts: list[str] = []
    blocks: list[Block] = []
    position = 0
    for number, (text, notes, margin) in enumerate(zip(texts, pages.notes, margins(texts), strict=True), 1):
        sections = list(headings.sections(number, text))
        if not shown[number - 1]:
            continue
        ending = "\n" if number == last else "\n\n"
        own = text + ("\n\n" if notes.strip() else ending) if text.strip() else ""
        label = _label(page_label(number), number)
        page = _Page(number, label, position, own, len(text), taken[number - 1][1], margin)
        blocks += _blocks(page, sections) if own else ()
        parts.append(own)
        position += len(own)
        if notes.strip():
            parts.append(notes + ending)
            end = position + len(parts[-1])
            blocks.append(Block(Kind.PARAGRAPH, position, end, sections[-1][1], number, label))
            position = end
    return "".join(parts), tuple(blocks)


def _blocks(page: _Page, sections: Sequence[Section]) -> Iterator[Block]:
    for kind, start, end, path in _cut(page, sections):
        done = start
        for table in page.tables if kind is not Kind.MARGIN else ():
            rows = [row for row in table.rows if start <= row < end]
            if not rows:
                continue
            if page.text[done : rows[0]].strip():
                yield _block(page, kind, done, rows[0], path)
                done = rows[0]
            close = min(table.end, end)
            while close < end and page.text[close] == "\n":
                close += 1
            yield _table(page, table, [done, *rows[1:], close], path)
            done = close
        if done < end:
            yield _block(page, kind, done, end, path)


def _cut(page: _Page, sections: Sequence[Section]) -> Iterator[tuple[Kind, int, int, tuple[str, ...]]]:
    """Kind, start, end and heading path of the parts of a page: its sections, cut where its margins begin and end."""
    top, bottom = page.margin
    written = len(page.text)
    bottom = written if bottom >= page.length else bottom
    starts = sorted({start for start, _ in sections} | {top, bottom} - {written})
    paths = dict(sections)
    path = paths[0]
    for start, end in pairwise([*starts, written]):
        path = paths.get(start, path)
        yield Kind.PARAGRAPH if top <= start < bottom else Kind.MARGIN, start, end, path


def _table(page: _Page, table: TableSpan, edges: list[int], path: tuple[str, ...]) -> Block:
    """The rows between `edges`."""
    rows = [_block(page, Kind.TABLE_ROW, start, end, path) for start, end in pairwise(edges)]
    ends = [*table.rows, table.end]
    opening = page.text[table.rows[0] : ends[table.headers]].rstrip("\n") + "\n" if table.headers else ""
    children = tuple(rows) if len(rows) > 1 else ()
    return _block(page, Kind.TABLE, edges[0], edges[-1], path, children, bounded_opening(opening))


def _block(
    page: _Page,
    kind: Kind,
    start: int,
    end: int,
    path: tuple[str, ...],
    children: tuple[Block, ...] = (),
    opening: str = "",
) -> Block:
    first, last = page.position + start, page.position + end
    return Block(kind, first, last, path, page.number, page.label, children, opening)


def _label(label: str, page: int) -> str | None:
    label = "".join(filter(str.isprintable, label)).strip()[:_LONGEST_LABEL]
    return label if label and label != str(page) else None
