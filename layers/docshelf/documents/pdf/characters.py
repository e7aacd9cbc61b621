"""The characters of a PDF page as the engine knows them, line by line: code, place, whether its font explains it."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import byref, c_double
from dataclasses import dataclass
from typing import Any

from pypdfium2 import raw

HYPHENS = ("\x02", "\ufffe")
"""What the engine puts in place of a hyphen and the end of a line inside a word."""

_LINE_ENDS = (0x0A, 0x0D)
_HIGH, _LOW, _AFTER, _BEYOND = 0xD800, 0xDC00, 0xE000, 0x110000
_TOUCHING = 0.15
_SMALLER = 0.85
_RAISED = 0.2

Box = tuple[float, float, float, float]
"""Left, bottom, right and top in points, as the page is drawn before it is turned."""


@dataclass(slots=True)
class Character:
    """One character and its box in points.

    `made` marks what the engine put in itself (a space between words drawn apart). `unmapped` says that the font does
    not tell which character is drawn, so that `text` is no more than its number in the font.
    """

    text: str
    left: float
    bottom: float
    right: float
    top: float
    made: bool = False
    unmapped: bool = False

    @property
    def is_space(self) -> bool:
        """Whether it shows nothing and parts words."""
        return self.text.isspace() and not "\x1c" <= self.text <= "\x1f"

    @property
    def box(self) -> Box:
        """Its box as a whole."""
        return self.left, self.bottom, self.right, self.top


Line = list[Character]


def read_lines(text_page: Any, box: Box) -> list[Line]:
    """Lines in the engine's order, without those of which nothing lies in `box`, the part of the page that is shown.

    A line that ends with `HYPHENS` goes on in the next: the engine found a word split between the two.
    """
    left, bottom, right, top = box
    return [
        line
        for line in _lines(text_page)
        if any(one.right > left and one.left < right and one.top > bottom and one.bottom < top for one in line)
    ]


def _lines(text_page: Any) -> Iterator[Line]:
    """Lines as the engine ends them, those on one baseline as one."""
    line: Line = []
    ended, baseline = True, 0.0
    for index, character in _characters(text_page):
        if character.made and ord(character.text) in _LINE_ENDS:
            ended = True
            continue
        if ended and line:
            before, baseline = baseline, _baseline(text_page, index)
            same = before == baseline and _beside(line[-1], character)
            if not same and _is_power(line, character):
                baseline = before
            elif not same:
                yield line
                line = []
            elif not 0 <= character.left - line[-1].right < _TOUCHING * (character.top - character.bottom):
                line.append(Character(" ", *(4 * (character.left,)), made=True))
        elif ended:
            baseline = _baseline(text_page, index)
        line.append(character)
        ended = False
        if character.text in HYPHENS and not character.unmapped:
            yield line
            line, ended = [], True
    if line:
        yield line


def _is_power(line: Line, raised: Character) -> bool:
    """Whether a small digit touches the letter before it, or anything raised touches a letter that stands alone."""
    letter = line[-1]
    height = letter.top - letter.bottom
    if not letter.text.isalpha() or not _beside(letter, raised):
        return False
    if abs(raised.left - letter.right) >= _TOUCHING * height or not raised.text.isalnum():
        return False
    if raised.text.isdigit() and 0 < raised.top - raised.bottom < _SMALLER * height:
        return True
    alone = len(line) == 1 or not line[-2].text.isalnum()
    return alone and raised.bottom - letter.bottom >= _RAISED * height


def _beside(first: Character, second: Character) -> bool:
    return first.bottom < second.top and second.bottom < first.top


def _baseline(text_page: Any, index: int) -> float:
    across, up = c_double(), c_double()
    raw.FPDFText_GetCharOrigin(text_page, index, byref(across), byref(up))
    return up.value


def _characters(text_page: Any) -> Iterator[tuple[int, Character]]:
    """All characters with their numbers; two halves of one beyond the basic plane are put together."""
    code_of, box_of, is_unmapped = (
        raw.FPDFText_GetUnicode,
        raw.FPDFText_GetLooseCharBox,
        raw.FPDFText_HasUnicodeMapError,
    )
    box = raw.FS_RECTF()
    place = byref(box)
    high = 0
    for index in range(raw.FPDFText_CountChars(text_page)):
        code = code_of(text_page, index)
        if _HIGH <= code < _LOW:
            high = code
            continue
        if high and _LOW <= code < _AFTER:
            code = 0x10000 + ((high - _HIGH) << 10) + code - _LOW
        high = 0
        box_of(text_page, index, place)
        left, right = box.left, box.right
        bottom, top = box.bottom, box.top
        if top < bottom:
            bottom, top = top, bottom
        made = left == right and top == bottom
        unmapped = is_unmapped(text_page, index) == 1
        yield index, Character(chr(code) if code < _BEYOND else "\ufffd", left, bottom, right, top, made, unmapped)
