"""Breaking blocks into the pieces that chunks are packed from.

A piece is never cut further: a whole block where it fits, else its children, else its sentences, lines, words, tokens.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from docshelf.chunking.measure import Measure
from docshelf.documents.model import Block, Kind

_SENTENCE = re.compile(r"(?<=[.!?…])[\"')\]]*\s+(?=\S)|(?<=[。！？；])(?=[^\s」』”’）])|\n(?=[^\n])")
_LINE = re.compile(r"(?<=\n)(?=[^\n])")
_PARAGRAPH = re.compile(r"(?<=\n)[ \t]*\n(?=[^\n])")
_WORD = re.compile(r"(?<=\s)(?=\S)|(?<=[,;/|&=)}\]>])(?=[^\s,;/|&=)}\]>])")
_PROSE_CUTS = (_PARAGRAPH, _SENTENCE, _WORD)
_LINE_CUTS = (_LINE, _WORD)
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


@dataclass(frozen=True, slots=True)
class Piece:
    """`[start, end)` of the text; `cut_from` is the block it is a part of when that block did not fit whole."""

    start: int
    end: int
    cut_from: Block | None = None

    @property
    def opening(self) -> str:
        """What a chunk that begins with this piece needs before it."""
        return self.cut_from.opening if self.cut_from and self.start > self.cut_from.start else ""

    @property
    def closing(self) -> str:
        """What a chunk that ends with this piece needs behind it."""
        return self.cut_from.closing if self.cut_from and self.end < self.cut_from.end else ""


def pieces(block: Block, measure: Measure) -> Iterator[Piece]:
    """Tile `block` with pieces that each fit into a chunk, cutting as little as possible."""
    waiting: list[tuple[Block, Block | None]] = [(block, None)]
    while waiting:
        current, cut_from = waiting.pop()
        if measure.fits(current.start, current.end):
            yield Piece(current.start, current.end, cut_from)
            continue
        wrapper = current if current.opening or current.closing else cut_from
        if current.children:
            waiting.extend((child, wrapper) for child in reversed(current.children))
            continue
        cuts = _LINE_CUTS if current.kind in (Kind.CODE, Kind.TABLE, Kind.TABLE_ROW) else _PROSE_CUTS
        for start, end in _split(current.start, current.end, cuts, measure):
            yield Piece(start, end, wrapper)


def _split(start: int, end: int, cuts: tuple[re.Pattern[str], ...], measure: Measure) -> Iterator[tuple[int, int]]:
    """Tile `[start, end)` with spans that fit, at the strongest of `cuts` that makes them fit."""
    if measure.fits(start, end):
        yield start, end
    elif not cuts:
        yield from _split_at_tokens(start, end, measure)
    else:
        points = [match.end() for match in cuts[0].finditer(measure.text, start, end) if start < match.end() < end]
        for left, right in _merged([start, *points, end], measure):
            yield from _split(left, right, cuts[1:], measure)


def _merged(points: list[int], measure: Measure) -> Iterator[tuple[int, int]]:
    """Join neighbouring spans between `points` as long as they fit together."""
    start, end = points[0], points[1]
    for point in points[2:]:
        if measure.fits(start, point):
            end = point
        else:
            yield start, end
            start, end = end, point
    yield start, end


def _split_at_tokens(start: int, end: int, measure: Measure) -> Iterator[tuple[int, int]]:
    """Cut a run without any boundary between tokens, never before a mark that belongs to the character before."""
    sizes = measure.sizes
    while not measure.fits(start, end):
        first = bisect_left(measure.token_starts, start)
        limit = start + sizes.characters
        if first + sizes.text < len(measure.token_starts):
            limit = min(limit, measure.token_starts[first + sizes.text])
        cut = limit
        while cut > start + 1 and _belongs_to_the_left(measure.text, cut):
            cut -= 1
        cut = cut if cut > start + 1 else limit
        yield start, cut
        start = cut
    yield start, end


def _belongs_to_the_left(text: str, position: int) -> bool:
    character = text[position]
    return unicodedata.combining(character) != 0 or character in _JOINERS or text[position - 1] == "\u200d"
