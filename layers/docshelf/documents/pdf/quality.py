"""Tell the rubbish of a PDF's text layer from its text: fonts often do not say which characters they draw."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field, replace
from functools import cache

from docshelf.documents.pdf.characters import HYPHENS, Character, Line

_RUBBISH_LINE = 0.3
_RUBBISH_PAGE = 0.1
_DISTRUSTED = 0.3
_FEW_ODD = 0.03
_FEWEST_BAD = 20
_SPACE_IN_TRUETYPE = "\x03"
_BULLETS = dict.fromkeys(map(chr, (0xF06C, 0xF06E, 0xF0A7, 0xF0A8, 0xF0B7, 0xF0D8, 0xF0E0, 0xF0FC)), "•")
_CONTROL, _PRIVATE, _UNASSIGNED, _HALF = "Cc", "Co", "Cn", "Cs"


@dataclass(slots=True)
class Sifted:
    """The lines of a page that can be read; `rubbish` counts the characters of the others, `visible` those of all."""

    lines: list[Line] = field(default_factory=list)
    visible: int = 0
    rubbish: int = 0

    @property
    def is_poor(self) -> bool:
        """Whether so much was left out that a reader has to be told."""
        return self.rubbish > 0 and (
            (self.rubbish >= _FEWEST_BAD and self.rubbish > _RUBBISH_PAGE * self.visible) or not self.lines
        )


def sift(lines: list[Line]) -> Sifted:
    """Leave out the lines that are mostly characters without a meaning, and such characters from the rest.

    A number in a font that does not explain it is often the character's own. Where such numbers are a good part of a
    page and some of them are of no character, none of them is believed.
    """
    unmapped = [one.text for line in lines for one in line if one.unmapped]
    odd = sum(text < " " or text > "\xff" for text in unmapped)
    many = len(unmapped) > _DISTRUSTED * sum(map(len, lines))
    return _sifted(lines, strict=many and odd > _FEW_ODD * len(unmapped))


def letters(lines: list[Line]) -> int:
    """How many letters and digits `lines` have."""
    return sum(one.text.isalnum() for line in lines for one in line)


def _sifted(lines: list[Line], *, strict: bool) -> Sifted:
    sifted = Sifted()
    for line in lines:
        visible = sum(not one.is_space for one in line)
        sifted.visible += visible
        kept = line
        if not _is_plain(line):
            marked = [_explained(one, strict) for one in line]
            if sum(one is None for one in marked) > _RUBBISH_LINE * visible:
                sifted.rubbish += visible
                continue
            kept = [_as_space(one) if mark is None else mark for one, mark in zip(line, marked, strict=True)]
        if any(not one.is_space for one in kept):
            sifted.lines.append(kept)
    return sifted


def _is_plain(line: Line) -> bool:
    text = "".join([one.text for one in line])
    return text.isprintable() and "\ufffd" not in text and not any(one.unmapped for one in line)


def _explained(one: Character, strict: bool) -> Character | None:
    """`one`, a bullet where a symbol font drew one; None where nobody can know what it means."""
    if one.text in HYPHENS and not one.unmapped:
        return one
    if one.text in _BULLETS:
        return replace(one, text=_BULLETS[one.text])
    if one.is_space:
        return one
    if one.unmapped and (strict or one.text > "\xff"):
        return None
    return None if _is_meaningless(one.text) else one


def _as_space(one: Character) -> Character:
    """What stands for a character without meaning: fonts of TrueType have the space as their fourth."""
    return replace(one, text=" " if one.text < " " else "")


@cache
def _is_meaningless(text: str) -> bool:
    return text == "\ufffd" or unicodedata.category(text) in (_CONTROL, _PRIVATE, _UNASSIGNED, _HALF)
