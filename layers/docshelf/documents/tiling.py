"""Shared by every parser: blocks that tile the text, line offsets, heading paths, titles taken from file names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from docshelf.documents.model import Block, Kind

MAX_TITLE_CHARACTERS = 200
"""A heading or title longer than this is cut: it is repeated with every passage below it."""

MAX_OPENING_CHARACTERS = 1_000
"""A fence line or table header longer than this is not repeated with the pieces of its block."""

_EXTENSION = re.compile(r"\.(?:[A-Za-z][A-Za-z0-9]{0,9})?$")


def title_from_key(key: str) -> str:
    """Name of the file that `key` names, without folders and without what looks like an extension.

    >>> title_from_key("guides/On-call.MD")
    'On-call'
    >>> title_from_key("release-1.2")
    'release-1.2'
    """
    name = posixpath.basename(key.rstrip("/")) or key
    stem = _EXTENSION.sub("", name)
    return shortened(stem if stem.strip(".") else name)


def shortened(title: str) -> str:
    """`title` on one line, cut with an ellipsis after `MAX_TITLE_CHARACTERS` characters."""
    line = " ".join(title[: 8 * MAX_TITLE_CHARACTERS].split())
    return line if len(line) <= MAX_TITLE_CHARACTERS else line[: MAX_TITLE_CHARACTERS - 1].rstrip() + "…"


class HeadingPath:
    """The headings in force while a document is read from top to bottom."""

    def __init__(self, base: tuple[str, ...] = ()) -> None:
        self._base = base
        self._open: list[tuple[int, str]] = []
        self.path = base

    def enter(self, level: int, heading: str) -> tuple[str, ...]:
        """Close the headings of `level` and deeper, open this one, and return the path that ends with it."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, heading))
        self.path = (*self._base, *(title for _, title in self._open))
        return self.path


@dataclass(slots=True)
class Draft:
    """A block known by its first line (counted from 0): it reaches to the next draft's first line."""

    kind: Kind
    line: int
    headings: tuple[str, ...] = ()
    children: list[Draft] = field(default_factory=list)
    opening: str = ""
    closing: str = ""


def line_starts(text: str) -> list[int]:
    """Offset of the first character of each line; only `\\n` ends a line."""
    return [0, *(match.end() for match in re.finditer("\n", text))]


def tile(drafts: Sequence[Draft], starts: Sequence[int], start: int, end: int) -> tuple[Block, ...]:
    """Blocks that tile `[start, end)`: what lies between two drafts goes to the first, what leads to the next.

    A draft that begins where an earlier one does (or outside the range) is dropped, and so is an only child that says
    nothing beyond its parent.
    """
    kept: list[tuple[int, Draft]] = []
    for draft in drafts:
        offset = starts[draft.line]
        if not kept:
            if offset < end:
                kept.append((start, draft))
        elif kept[-1][0] < offset < end:
            kept.append((offset, draft))
    edges = [*(offset for offset, _ in kept), end]
    return tuple(
        _block(draft, starts, first, last) for (_, draft), (first, last) in zip(kept, pairwise(edges), strict=True)
    )


def _block(draft: Draft, starts: Sequence[int], start: int, end: int) -> Block:
    children = tile(draft.children, starts, start, end)
    if len(children) == 1 and not (children[0].children or children[0].opening):
        children = ()
    return Block(
        kind=draft.kind,
        start=start,
        end=end,
        headings=draft.headings,
        children=children,
        opening=draft.opening,
        closing=draft.closing,
    )


def tiles(blocks: Sequence[Block], length: int) -> bool:
    """Whether `blocks` tile a text of `length` characters and every block's children tile the block."""
    pending: list[tuple[Sequence[Block], int, int]] = [(blocks, 0, length)]
    while pending:
        row, start, end = pending.pop()
        for block in row:
            if block.start != start or block.end <= start:
                return False
            start = block.end
            if block.children:
                pending.append((block.children, block.start, block.end))
        if start != end:
            return False
    return True


def bounded_opening(opening: str) -> str:
    """`opening`, or nothing when it is too long to repeat."""
    return opening if len(opening) <= MAX_OPENING_CHARACTERS else ""
