"""Repair the text of PDF pages: words hyphenated over lines, ligature characters, control characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from docshelf.documents.pdf.marks import CELL_LINE

HYPHEN_MARK = "\x02"  # the engine puts it in place of a hyphen and line end inside a word
_MARKS = {0x02: HYPHEN_MARK, 0xFFFE: HYPHEN_MARK}
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_LINE_ENDS = {0x0B: "\n", 0x0C: "\n", 0x85: "\n", 0x2028: "\n", 0x2029: "\n"}
_DROPPED = {
    code: None
    for code in (*range(0x20), *range(0x7F, 0xA0), 0xFEFF, 0xFFFF)
    if code not in (0x02, 0x09, 0x0A, 0x0B, 0x0C, 0x85)
}
_FORMS = {
    code: unicodedata.normalize("NFKC", chr(code)).strip()
    for first, last in ((0x2F00, 0x2FD5), (0xF900, 0xFAFF), (0xFB1D, 0xFD3D), (0xFD50, 0xFDFB), (0xFE70, 0xFEFC))
    for code in range(first, last + 1)
}
"""Radicals, and forms of Chinese, Hebrew and Arabic letters, that stand for the letters themselves."""
_CHARACTERS = {**_DROPPED, **_FORMS, **_MARKS, **_LIGATURES, **_LINE_ENDS, 0xA0: " "}

_FEWEST_CHARACTERS_A_MARK = 20
_CONTROLS = re.compile(r"[\x01-\x08\x0e-\x1f]")
_LETTER = r"[^\W\d_]"
_BREAK = re.compile(rf"(?<={_LETTER})(?:{HYPHEN_MARK}|[-\u00ad\u2010][\n{CELL_LINE}])(?={_LETTER})")
_LONGEST_WORD = 100
_WORD = re.compile(rf"({_LETTER}+)(?:{HYPHEN_MARK}|[-\u00ad\u2010][\n{CELL_LINE}])({_LETTER}+)")
_WORD = re.compile(rf"{_LETTER}+(?:[-\u2010]{_LETTER}+)*")
_BLANK_LINES = re.compile(r"\n{3,}")


def clean_pages(pages: Sequence[str]) -> list[str]:
    """Clean the texts of all pages of a document; what is hyphenated is decided by the words of the whole.

    A word split over lines is joined, unless the document has it elsewhere with its hyphen only, the second part is
    not in small letters, or the two parts would run two e together ("re-election").
    """
    cleaned = [_characters(page) for page in pages]
    if any(_BREAK.search(page) for page in cleaned):
        words = {word.lower() for page in cleaned for word in _WORD.findall(page)}
        cleaned = [_BREAK.sub(lambda match: _link(match, words), page) for page in cleaned]
    return [_lines(page) for page in cleaned]


def _characters(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if len(_CONTROLS.findall(text)) * _FEWEST_CHARACTERS_A_MARK > len(text):
        text = _CONTROLS.sub(" ", text)  # too many for ends of lines: a font without a character map
    return text.translate(_CHARACTERS)


def _link(match: re.Match[str], words: set[str]) -> str:
    """What stands between the two parts of a word in the stead of a break: nothing or a hyphen."""
    first, second = _part(match.string, match.start() - 1, -1), _part(match.string, match.end(), 1)
    if not (second.islower() and first[-1].islower()):
        return "-"
    if f"{first}{second}".lower() in words:
        return ""
    if f"{first}-{second}".lower() in words:
        return "-"
    return "-" if first.lower() in ("re", "pre", "de") and second.startswith("e") else ""


def _part(text: str, place: int, step: int) -> str:
    """The letters from `place` on, forwards or backwards."""
    end = place
    while 0 <= end < len(text) and abs(end - place) < _LONGEST_WORD and text[end].isalpha():
        end += step
    return text[place:end] if step > 0 else text[end + 1 : place + 1]


def _lines(text: str) -> str:
    text = text.replace(HYPHEN_MARK, "-").replace("\u00ad", "")
    text = "\n".join(line.strip() for line in text.split("\n"))
    return _BLANK_LINES.sub("\n\n", text).strip("\n")
