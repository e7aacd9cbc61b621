"""Order of the lines of Chinese and Japanese that are written from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from docshelf.documents.pdf.characters import Line
from docshelf.documents.pdf.spacing import direction_of

_DOWN = ("up", -1)
_LOOKED_AT = 8
_FIRST, _LAST = "\u3000", "\uffef"


def columns_in_order(lines: Sequence[Line]) -> list[Line]:
    """`lines` with those that are written downwards from right to left: the engine swaps some beside each other."""
    ordered: list[Line] = []
    for is_downward, group in groupby(lines, key=_is_downward):
        if not is_downward:
            ordered += group
            continue
        beside: list[Line] = []
        for line in group:
            if beside and not _meet(beside[-1], line):
                ordered += sorted(beside, key=_place)
                beside = []
            beside.append(line)
        ordered += sorted(beside, key=_place)
    return ordered


def _is_downward(line: Line) -> bool:
    looked_at = line[:_LOOKED_AT]
    wide = sum(_FIRST <= one.text <= _LAST for one in looked_at)
    return len(line) > 1 and 2 * wide > len(looked_at) and direction_of(line) == _DOWN


def _meet(first: Line, second: Line) -> bool:
    """Whether two columns stand side by side, not one below the other."""
    return first[-1].bottom < second[0].top and second[-1].bottom < first[0].top


def _place(line: Line) -> float:
    return -line[0].left
