"""Order of right-to-left text in a PDF line."""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import groupby, pairwise

from docshelf.documents.pdf.characters import Character, Line

_LIGATURE = 2


def is_right_to_left(text: str) -> bool:
    """Whether a character is written from right to left by itself."""
    return "\u0590" <= text <= "\u08ff" and unicodedata.bidirectional(text) in ("R", "AL")


def in_reading_order(line: Line) -> Line:
    """`line` with its right-to-left words as they are read.

    The engine turns round what runs from right to left. It also turns the several characters that one glyph stands
    for, which its font gave in reading order, and words that were drawn in reading order.
    """
    if not any(is_right_to_left(one.text) for one in line):
        return line
    ordered = [one for group in _by_glyph(line) for one in _glyph_in_order(group)]
    return _words_in_order(ordered)


def _by_glyph(line: Line) -> list[Line]:
    return [list(group) for _, group in groupby(line, key=lambda one: (one.left, one.bottom, one.right, one.top))]


def _glyph_in_order(group: Line) -> Line:
    """The characters that share one box; a ligature that the engine took apart itself is in order already."""
    letters = "".join(one.text for one in group)
    if len(group) < _LIGATURE or not any(map(is_right_to_left, letters)) or letters in _ligatures():
        return group
    if letters[::-1] in _ligatures() or len(group) > _LIGATURE:
        leading = group[:1] if group[0].is_space else []
        return leading + group[::-1]
    return group


@cache
def _ligatures() -> frozenset[str]:
    codes = (*range(0xFB1D, 0xFE00), *range(0xFE70, 0xFEFD))
    return frozenset(unicodedata.normalize("NFKC", chr(code)) for code in codes)


def _words_in_order(line: Line) -> Line:
    """Turn the right-to-left runs of a line whose letters mostly advance to the right."""
    steps = [
        second.left - first.left
        for first, second in pairwise(line)
        if is_right_to_left(first.text) and is_right_to_left(second.text) and first.left != second.left
    ]
    if 2 * sum(step > 0 for step in steps) <= len(steps):
        return line
    turned: Line = []
    for right_to_left, group in groupby(line, key=_belongs):
        word = list(group)
        turned += word[::-1] if right_to_left else word
    return turned


def _belongs(one: Character) -> bool:
    return is_right_to_left(one.text) or unicodedata.bidirectional(one.text) == "NSM"
