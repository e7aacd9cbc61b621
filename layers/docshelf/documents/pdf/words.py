"""The words of a PDF line with their places, in one frame whichever way the page's text runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from docshelf.documents.pdf.characters import HYPHENS, Box
from docshelf.documents.pdf.spacing import Direction, Glyph

WIDE_GAP = 1.0
"""From so much of their height on, words may belong to different columns."""

_APART = 0.15
_HYPHENS = ("-", "\u00ad", "\u2010")


@dataclass(slots=True)
class Word:
    """A run of characters and its box in points, right and up being those of its reader.

    `glued` says that no space is before it: it goes on a word whose characters stand apart.
    """

    text: str
    left: float
    bottom: float
    right: float
    top: float
    glued: bool = False

    @property
    def height(self) -> float:
        """Height of its box."""
        return self.top - self.bottom


def joined(words: Sequence[Word]) -> str:
    """The text of `words`."""
    text = "".join(word.text if word.glued else f" {word.text}" for word in words)
    return text.removeprefix(" ")


def is_split(words: Sequence[Word]) -> bool:
    """Whether a line ends within a word, which goes on in the next."""
    last = words[-1].text if words else ""
    return last.endswith(HYPHENS) or (last.endswith(_HYPHENS) and last[-2:-1].isalpha())


def has_wide_gap(glyphs: Sequence[Glyph]) -> bool:
    """Whether a line has parts that may stand in columns."""
    return any(one.space and two.start - one.end > WIDE_GAP * one.height for one, two in pairwise(glyphs))


def in_frame(box: Box, direction: Direction) -> Box:
    """`box` as it lies for the reader of text that runs in `direction`."""
    left, bottom, right, top = box
    match direction:
        case ("across", 1):
            return box
        case ("across", _):
            return -right, -top, -left, -bottom
        case (_, 1):
            return bottom, -right, top, -left
        case _:
            return -top, left, -bottom, right


def words_of(glyphs: Sequence[Glyph], direction: Direction) -> list[Word]:
    """The words of a line whose spaces are mended; those whose characters stand apart are in several parts."""
    words: list[Word] = []
    spaced = False
    for glyph in glyphs:
        one = glyph.character
        left, bottom, right, top = in_frame(one.box, direction)
        last = words[-1] if words else None
        fits = last is not None and not spaced and left - last.right <= _APART * max(last.height, top - bottom)
        if last is not None and (fits or one.text in HYPHENS or right - left <= 0):
            last.text += f" {one.text}" if spaced else one.text
            if right > left:
                last.right = max(last.right, right)
                last.bottom, last.top = min(last.bottom, bottom), max(last.top, top)
        else:
            words.append(Word(one.text, left, bottom, right, top, glued=last is not None and not spaced))
        spaced = glyph.space
    return words
