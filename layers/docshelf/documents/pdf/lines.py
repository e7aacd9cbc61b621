"""From the placed characters of a PDF page to its text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from docshelf.documents.pdf.characters import Box, Character, Line
from docshelf.documents.pdf.direction import in_reading_order, is_right_to_left
from docshelf.documents.pdf.grid import Grid, grids
from docshelf.documents.pdf.spacing import Direction, Glyph, direction_of, drawn_gap, glyphs_of, mend_spaces
from docshelf.documents.pdf.tables import LaidLine, page_text
from docshelf.documents.pdf.vertical import columns_in_order
from docshelf.documents.pdf.words import Word, has_wide_gap, in_frame, words_of

_NEXT_LINE = 0.6


def lines_text(lines: Sequence[Line], rules: Sequence[Box] = ()) -> str:
    """The text of `lines`, a line each, and tables as marked rows; `rules` are the boxes of the page's ruling lines.

    A word that goes over to the next line is joined by its hyphen mark.
    """
    laid, main = _laid(columns_in_order(lines))
    found_grids = grids(in_frame(rule, main) for rule in rules)
    usual = drawn_gap([one.glyphs for one in laid])
    found: list[LaidLine] = []
    for one in laid:
        if any(is_right_to_left(letter.text) for letter in one.line):
            text = "".join(letter.text for letter in one.line)
            found.append(LaidLine(text, _whole(text, one.line, main), whole=True))
            continue
        mend_spaces(one.glyphs, usual)
        text = "".join(f"{glyph.text} " if glyph.space else glyph.text for glyph in one.glyphs)
        if one.direction != main and len(one.glyphs) > 1:  # a single character runs any way
            found.append(LaidLine(text, _whole(text, one.line, main), whole=True))
        elif has_wide_gap(one.glyphs) or _meets(one.glyphs, found_grids, main):
            found.append(LaidLine(text, words_of(one.glyphs, main)))
        else:
            found.append(LaidLine(text))
    return page_text(found, found_grids)


@dataclass(frozen=True, slots=True)
class _Laid:
    """A line in reading order, and its visible characters along its direction."""

    line: Line
    direction: Direction
    glyphs: list[Glyph]


def _laid(lines: Sequence[Line]) -> tuple[list[_Laid], Direction]:
    """The lines, and the direction in which most characters of the page are written."""
    directions = list(map(direction_of, lines))
    counts: Counter[Direction] = Counter()
    for line, direction in zip(lines, directions, strict=True):
        counts[direction] += len(line)
    main = counts.most_common(1)[0][0] if counts else ("across", 1)
    laid: list[_Laid] = []
    for line, direction in zip(lines, directions, strict=True):
        for part in _ended(line, main) if direction == main != ("across", 1) else [line]:
            ordered = in_reading_order(part)
            own = direction if ordered is line else direction_of(ordered)
            laid.append(_Laid(ordered, own, glyphs_of(ordered, own)))
    return laid, main


def _ended(line: Line, main: Direction) -> list[Line]:
    """A line as those that it consists of: where text runs up or down, the engine does not tell where one ends."""
    if any(is_right_to_left(one.text) for one in line):
        return [line]
    parts: list[Line] = [[]]
    last: Character | None = None
    for one in line:
        if not one.made:
            if last is not None and _is_next_line(last, one, main):
                parts.append([])
            last = one
        parts[-1].append(one)
    return parts


def _is_next_line(last: Character, one: Character, main: Direction) -> bool:
    """Whether `one` is beside the line of `last`, and does not follow it across the page either."""
    before, here = in_frame(last.box, main), in_frame(one.box, main)
    if abs(here[1] - before[1]) <= _NEXT_LINE * max(here[3] - here[1], before[3] - before[1]):
        return False
    height = last.top - last.bottom
    return not (0 <= one.left - last.left <= 2 * height and abs(one.bottom - last.bottom) < _NEXT_LINE * height)


def _meets(glyphs: Sequence[Glyph], found: Sequence[Grid], main: Direction) -> bool:
    """Whether a line could have words in one of the grids."""
    if not (found and glyphs):
        return False
    first, last = (in_frame(glyph.character.box, main) for glyph in (glyphs[0], glyphs[-1]))
    left, bottom, right, top = min(first[0], last[0]), first[1], max(first[2], last[2]), first[3]
    return any(
        left < grid.columns[-1] and right > grid.columns[0] and bottom < grid.rows[-1] and top > grid.rows[0]
        for grid in found
    )


def _whole(text: str, line: Line, main: Direction) -> list[Word]:
    """A line as one word."""
    boxes = [in_frame(one.box, main) for one in line if not one.made]
    if not boxes:
        return []
    left, bottom, right, top = zip(*boxes, strict=True)
    return [Word(text.strip(), min(left), min(bottom), max(right), max(top))]
