"""Spaces between the words of a PDF line, decided by where its characters stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from docshelf.documents.pdf.characters import Character, Line

_LOOKED_AT = 20
_FEWEST_PITCHES = 8
_SAME = 0.04
_AT_PITCH = 0.5
_UNEVEN = 0.25
_FEWEST_UNEVEN = 0.2
_WORD_PITCHES = 1.35
_FEWEST_DRAWN = 10
_REAL_GAP = 0.6
_SMALLER = 0.85
_RAISED = 0.12
_FEWEST_CUT = 10
_MOST_CUT = 0.5
_TOUCHING = frozenset(".,;:!?)]}'’”%")

Direction = tuple[str, int]
"""The axis along which a line is written, "across" or "up", and 1, or -1 where it runs the other way."""


@dataclass(slots=True)
class Glyph:
    """A visible character of a line laid out from left to right: where it starts and ends, in points.

    `space` says that a space follows, `made` that the engine put it there and no font drew it.
    """

    character: Character
    start: float
    end: float
    space: bool = False
    made: bool = False

    @property
    def text(self) -> str:
        """The character itself."""
        return self.character.text

    @property
    def height(self) -> float:
        """Height of its box."""
        return self.character.top - self.character.bottom


def glyphs_of(line: Line, direction: Direction) -> list[Glyph]:
    """The visible characters of `line` in its order, along the `direction` in which it is written."""
    glyphs: list[Glyph] = []
    axis, sign = direction
    for one in line:
        if one.is_space:
            if glyphs:
                glyphs[-1].made = one.made and (glyphs[-1].made or not glyphs[-1].space)
                glyphs[-1].space = True
            continue
        low, high = (one.left, one.right) if axis == "across" else (one.bottom, one.top)
        glyphs.append(Glyph(one, low, high) if sign > 0 else Glyph(one, -high, -low))
    if glyphs:
        glyphs[-1].space = False
    return glyphs


def drawn_gap(lines: Sequence[Sequence[Glyph]]) -> float | None:
    """The usual distance over a space that a font drew, as a part of the characters' height.

    Only for a page where the engine cuts single letters off their words, as it does between drawn words whose letters
    were spread; None for any other, where its spaces are right.
    """
    gaps = [gap / one.height for line in lines for one, gap in _drawn_gaps(line) if one.height > 0]
    if len(gaps) < _FEWEST_DRAWN:
        return None
    usual = median(gaps)
    narrow = [
        _cuts_letter(line, index)
        for line in lines
        for index, (first, second) in enumerate(pairwise(line))
        if first.made and second.start - first.end < _REAL_GAP * usual * first.height
    ]
    cut = sum(narrow)
    return usual if cut >= _FEWEST_CUT and cut >= _MOST_CUT * len(narrow) else None


def mend_spaces(glyphs: list[Glyph], usual_gap: float | None) -> None:
    """Take out and put in spaces of one line; `usual_gap` is `drawn_gap` of its page.

    The engine puts a space where two characters stand apart. It cannot know that a line spreads its letters evenly,
    that the drawn spaces beside it are far wider, or that a raised number begins a footnote.
    """
    if _spread_evenly(glyphs):
        pitch = median(second.start - first.start for first, second in pairwise(glyphs))
        for first, second in pairwise(glyphs):
            if first.made or not first.space:
                first.space = first.made = second.start - first.start > _WORD_PITCHES * pitch
    elif usual_gap is not None:
        own = [gap for _, gap in _drawn_gaps(glyphs)]
        for first, second in pairwise(glyphs):
            real = median(own) if len(own) > 1 else usual_gap * first.height
            if first.made and _may_touch(first, second) and second.start - first.end < _REAL_GAP * real:
                first.space = first.made = False
    if glyphs and glyphs[0].start == glyphs[0].character.left:
        _part_raised_numbers(glyphs)


def direction_of(line: Line) -> Direction:
    """Which way `line` runs, told by the steps between some of its characters."""
    drawn = [one for one in line if not one.made]
    ways: Counter[Direction] = Counter()
    for number in range(0, len(drawn) - 1, max(1, len(drawn) // _LOOKED_AT)):
        first, second = drawn[number], drawn[number + 1]
        across, up = second.left - first.left, second.bottom - first.bottom
        far, axis = (across, "across") if abs(across) >= abs(up) else (up, "up")
        ways[axis, 1 if far >= 0 else -1] += 1
    return ways.most_common(1)[0][0] if ways else ("across", 1)


def _drawn_gaps(glyphs: Sequence[Glyph]) -> list[tuple[Glyph, float]]:
    gaps = [(first, second.start - first.end) for first, second in pairwise(glyphs) if first.space and not first.made]
    return [(one, gap) for one, gap in gaps if gap > 0]


def _cuts_letter(glyphs: Sequence[Glyph], index: int) -> bool:
    """Whether the space behind `glyphs[index]` parts one letter alone from others."""
    first, second = glyphs[index], glyphs[index + 1]
    alone_before = index == 0 or glyphs[index - 1].space
    alone_after = index + 2 == len(glyphs) or second.space
    return first.text.isalpha() and second.text.isalpha() and alone_before != alone_after


def _spread_evenly(glyphs: Sequence[Glyph]) -> bool:
    """Whether letters of different widths start at even distances, as where each was placed by itself."""
    pitches = [
        (first, second.start - first.start)
        for first, second in pairwise(glyphs)
        if (first.made or not first.space) and first.text.isalnum() and second.text.isalnum()
    ]
    if len(pitches) < _FEWEST_PITCHES:
        return False
    usual = median(pitch for _, pitch in pitches)
    if not 0 < usual < median(one.height for one, _ in pitches):
        return False  # figures in columns
    even = [one for one, pitch in pitches if abs(pitch - usual) <= _SAME * usual]
    odd = [one for one in even if abs(one.end - one.start - usual) > _UNEVEN * usual]
    return len(even) >= _AT_PITCH * len(pitches) and len(odd) >= _FEWEST_UNEVEN * len(even)


def _part_raised_numbers(glyphs: Sequence[Glyph]) -> None:
    """Put a space between a raised number and the word behind it."""
    for index in range(1, len(glyphs)):
        first, second = glyphs[index - 1], glyphs[index]
        if first.space or not (first.text.isdigit() and second.text.isalpha() and _raised(first, second)):
            continue
        number = index - 1
        while number and glyphs[number - 1].text.isdigit() and not glyphs[number - 1].space:
            number -= 1
        first.space = first.made = number == 0 or glyphs[number - 1].space or not glyphs[number - 1].text.isalpha()


def _may_touch(first: Glyph, second: Glyph) -> bool:
    """Whether two characters may stand in one word."""
    left, right = first.text, second.text
    return (left.isalnum() and (right.isalnum() or right in _TOUCHING)) or (not left.isalnum() and right in _TOUCHING)


def _raised(small: Glyph, large: Glyph) -> bool:
    lower, upper = small.character, large.character
    height = large.height
    return 0 < small.height < _SMALLER * height and lower.bottom > upper.bottom + _RAISED * height
