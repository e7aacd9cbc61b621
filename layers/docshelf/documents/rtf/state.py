"""What a group of an RTF file inherits from the one around it, and the control words that change it."""

from __future__ import annotations

from dataclasses import dataclass

from docshelf.documents.rtf.fonts import codec_of_charset, codec_of_page

_MOST_UNITS = 8


@dataclass(slots=True)
class RtfState:
    """The state of a group; `level` is a heading's from 1, `units` how many bytes stand in for a Unicode character."""

    skipped: bool = False
    starred: bool = False
    in_info: bool = False
    capture: str = ""
    codec: str = ""
    units: int = 1
    hidden: bool = False
    in_table: bool = False
    level: int | None = None
    style: int = 0
    depth: int = 0
    font: int = 0

    def set(self, word: str, number: int | None) -> None:
        """Follow a control word that changes how text and paragraphs are; others change nothing."""
        if word == "pard":
            self.in_table, self.level, self.style, self.depth = False, None, 0, 0
        elif word == "plain":
            self.codec, self.hidden = "", False
        elif word in ("v", "deleted"):
            self.hidden = number != 0
        elif word == "intbl":
            self.in_table = number != 0
        elif word == "outlinelevel":
            self.level = number + 1 if number is not None and 0 <= number < 9 else None
        elif word == "s":
            self.style = number or 0
        elif word == "ilvl":
            self.depth = max(0, number or 0)
        elif word == "uc":
            self.units = max(0, min(number or 0, _MOST_UNITS))

    def set_font(self, word: str, number: int | None, codecs_of_fonts: dict[int, str]) -> bool:
        """Follow a control word that chooses a font or, in their table, says its codec; true if it was one."""
        if word == "f" and number is not None:
            self.font = number
            self.codec = codecs_of_fonts.get(number, "")
            return True
        if self.capture == "fonttbl" and word in ("fcharset", "cpg"):
            codec = codec_of_charset(number or 0) if word == "fcharset" else codec_of_page(number or 0)
            if codec is not None:
                codecs_of_fonts[self.font] = codec
            return True
        return False
