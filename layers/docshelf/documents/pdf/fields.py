"""Put the values of a PDF's form fields where they stand on their page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docshelf.documents.pdf.annotations import FormField
from docshelf.documents.pdf.characters import Box, Character, Line
from docshelf.documents.pdf.spacing import direction_of

_TALLEST = 2.5
_CAPTION_ABOVE = 1.0
_OVERLAP = 1.0
_LONGEST_PLACED = 2_000
_MOST_PLACED = 20_000


@dataclass(slots=True)
class _Row:
    """A line of the page that runs from left to right, and its box."""

    line: Line
    left: float
    bottom: float
    right: float
    top: float

    @property
    def height(self) -> float:
        """In points."""
        return self.top - self.bottom


def place_fields(lines: list[Line], fields: Sequence[FormField]) -> list[str]:
    """Add `fields` to the `lines` of their page: beside the words on their line, or below the words above them.

    Returns the text of those that have no such words, behind what they are called.
    """
    rows = [row for row in map(_row, lines if fields else ()) if row is not None]
    left: list[str] = []
    placed = 0
    for field in sorted(fields, key=lambda one: (-one.box[3], one.box[0])):
        short = len(field.text) <= min(_LONGEST_PLACED, _MOST_PLACED - placed)
        beside = _beside(rows, field.box) if short and "\n" not in field.text else None
        above = _above(rows, field.box) if short and not beside else None
        placed += len(field.text) if beside or above else 0
        if beside:
            _insert(beside, field)
        elif above:
            made = [_characters(text, field.box) for text in field.text.split("\n") if text.strip()]
            place = next(number for number, line in enumerate(lines) if line is above.line) + 1
            lines[place:place] = made
            rows += [row for row in map(_row, made) if row is not None]
        else:
            left.append(labelled(field))
    return left


def labelled(field: FormField) -> str:
    """The text of a field behind what it is called."""
    return f"{field.label}: {field.text}" if field.label else field.text


def _row(line: Line) -> _Row | None:
    drawn = [one for one in line if not one.made]
    if not drawn or direction_of(line) != ("across", 1):
        return None
    return _Row(
        line,
        min(one.left for one in drawn),
        min(one.bottom for one in drawn),
        max(one.right for one in drawn),
        max(one.top for one in drawn),
    )


def _beside(rows: Sequence[_Row], box: Box) -> _Row | None:
    """The line whose words are nearest to the left of a box on the same height, or else to its right."""
    left, bottom, right, top = box
    level = [
        row for row in rows if row.bottom <= (bottom + top) / 2 <= row.top and top - bottom <= _TALLEST * row.height
    ]
    best: tuple[tuple[bool, float], _Row] | None = None
    for row in level:
        before = [left - one.right for one in row.line if not one.made and one.left <= left]
        behind = [one.left - right for one in row.line if not one.made and one.left > left]
        merit = (not before, abs(min(before or behind, key=abs)))
        if best is None or merit < best[0]:
            best = merit, row
    return best[1] if best else None


def _above(rows: Sequence[_Row], box: Box) -> _Row | None:
    """The line of words right above a box."""
    left, _, right, top = box
    near = [
        row
        for row in rows
        if row.left < right
        and row.right > left
        and -_OVERLAP * row.height <= row.bottom - top <= _CAPTION_ABOVE * row.height
    ]
    return min(near, key=lambda row: abs(row.bottom - top), default=None)


def _insert(row: _Row, field: FormField) -> None:
    """Put a field's text into a line, behind what stands to its left."""
    line = row.line
    place = next((number for number, one in enumerate(line) if not one.made and one.left > field.box[0]), len(line))
    made = _characters(field.text, field.box)
    if place and not line[place - 1].is_space:
        made.insert(0, _space(field.box[0], field.box))
    if place < len(line) and not line[place].is_space:
        made.append(_space(field.box[2], field.box))
    line[place:place] = made
    row.left, row.right = min(row.left, field.box[0]), max(row.right, field.box[2])


def _characters(text: str, box: Box) -> Line:
    left, bottom, right, top = box
    step = (right - left) / len(text)
    return [
        Character(one, left + number * step, bottom, left + (number + 1) * step, top) for number, one in enumerate(text)
    ]


def _space(at: float, box: Box) -> Character:
    return Character(" ", at, box[1], at, box[1], made=True)
