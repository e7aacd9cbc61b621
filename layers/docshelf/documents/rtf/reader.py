"""Read RTF token by token: what each group inherits, which text goes where."""

from __future__ import annotations

from dataclasses import replace

from docshelf.documents.html.text import BREAK, one_line
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.documents.rtf.fonts import DEFAULT, codec_of_page, joined_halves
from docshelf.documents.rtf.state import RtfState
from docshelf.documents.rtf.tokens import tokens
from docshelf.documents.rtf.words import (
    CAPTURED,
    CHARACTERS,
    HEADING,
    PAGES,
    PARAGRAPH_ENDS,
    READ_IF_SKIPPED,
    READ_IF_STARRED,
    SKIPPED,
    WITHIN_A_LINE,
)
from docshelf.documents.rtf.writer import RtfWriter
from docshelf.errors import ParseFailedError

_DEEPEST = 2_000


class RtfReader:
    """Follows the groups and hands what they hold to the writer."""

    def __init__(self, builder: PieceBuilder) -> None:
        self.title = self.description = ""
        self.is_cut_off = False
        self._writer = RtfWriter(builder)
        self._state = RtfState()
        self._stack: list[RtfState] = []
        self._text: list[str] = []
        self._outer: list[list[str]] = []
        self._pending = bytearray()
        self._default_codec = DEFAULT
        self._fonts: dict[int, str] = {}
        self._style_levels: dict[int, int] = {}
        self._marker = ""
        self._is_header_row = False
        self._to_skip = 0

    def read(self, data: bytes) -> None:
        """Read the whole file.

        Raises:
            ParseFailedError: groups are nested beyond reason.
        """
        for kind, word, number, plain in tokens(data):
            if kind == "bytes":
                self._add_bytes(plain)
                continue
            self._decode()
            if kind == "word":
                if not self._state.skipped or word in READ_IF_SKIPPED:
                    self._word(word, number)
            elif kind == "{":
                self._enter()
            else:
                self._leave()
        self._decode()
        self.is_cut_off = bool(self._stack)
        while self._stack:
            self._leave()
        self._end_paragraph()
        self._writer.finish()

    def _enter(self) -> None:
        if len(self._stack) >= _DEEPEST:
            raise ParseFailedError("The RTF file nests its groups too deeply to be read.")
        self._to_skip = 0
        self._stack.append(self._state)
        self._state = replace(self._state, starred=False)

    def _leave(self) -> None:
        self._to_skip = 0
        if not self._stack:
            return
        closed, self._state = self._state, self._stack.pop()
        if closed.capture != self._state.capture and self._outer:
            self._end_capture(closed)

    def _end_capture(self, closed: RtfState) -> None:
        """Put what a captured group holds where it belongs."""
        if closed.capture == "shptxt":
            self._end_paragraph()
        text = "".join(self._text)
        self._text = self._outer.pop()
        if closed.capture == "footnote":
            self._text.append(self._writer.note(text))
        elif closed.capture in ("listtext", "pntext"):
            self._marker = text
        elif closed.capture == "title":
            self.title = one_line(joined_halves(text))
        elif closed.capture == "doccomm":
            self.description = one_line(joined_halves(text))

    def _add_bytes(self, plain: bytes) -> None:
        if self._to_skip:
            skipped = min(self._to_skip, len(plain))
            self._to_skip -= skipped
            plain = plain[skipped:]
        if not (self._state.skipped or self._state.hidden):
            self._pending += plain

    def _decode(self) -> None:
        if not self._pending:
            return
        codec = self._state.codec or self._default_codec
        text = self._pending.decode(codec, errors="replace")
        self._pending.clear()
        if self._state.capture == "stylesheet":
            self._name_style(text)
        elif self._state.capture != "fonttbl":
            self._text.append(text)

    def _name_style(self, text: str) -> None:
        """Take a style's level from its outline level, else from its name."""
        named = HEADING.match(text.strip())
        if self._state.level is not None:
            self._style_levels.setdefault(self._state.style, self._state.level)
        elif named:
            self._style_levels.setdefault(self._state.style, int(named[1]))
        elif text.strip().rstrip(";").lower() == "title":
            self._style_levels.setdefault(self._state.style, 1)

    def _word(self, word: str, number: int | None) -> None:
        state = self._state
        starred, state.starred = state.starred, word == "*"
        if word in CHARACTERS:
            self._add_text(CHARACTERS[word])
        elif word == "u":
            self._add_text(chr((number or 0) & 0xFFFF))
            self._to_skip = state.units
        elif word in PARAGRAPH_ENDS:
            if state.capture in WITHIN_A_LINE:
                self._text.append(BREAK)
            else:
                self._end_paragraph()
        elif word == "cell":
            self._writer.cell("".join(self._text))
            self._text.clear()
        elif word == "row":
            self._writer.row(is_header=self._is_header_row)
        elif word in SKIPPED or word in CAPTURED or word in ("info", "upr", "ud"):
            self._destination(word, starred=starred)
        elif starred and word != "*" and word not in READ_IF_STARRED:
            state.skipped = True
        else:
            self._property(word, number)

    def _destination(self, word: str, *, starred: bool) -> None:
        state = self._state
        if word in ("title", "doccomm"):
            if not state.in_info:
                return
            state.skipped = False
        if word == "ud":
            state.skipped = not starred
        elif word in CAPTURED:
            if state.capture != word:
                self._outer.append(self._text)
                self._text = []
                state.capture = word
        else:
            state.skipped = True
            state.in_info = word == "info"

    def _property(self, word: str, number: int | None) -> None:
        if word in ("trowd", "trhdr"):
            self._is_header_row = word == "trhdr"
        elif word == "ansicpg":
            self._default_codec = codec_of_page(number or 0)
        elif word in PAGES:
            self._default_codec = PAGES[word]
        elif not self._state.set_font(word, number, self._fonts):
            self._state.set(word, number)

    def _add_text(self, text: str) -> None:
        if not self._state.hidden and self._state.capture not in ("fonttbl", "stylesheet"):
            self._text.append(text)

    def _end_paragraph(self) -> None:
        state = self._state
        level = state.level if state.level is not None else self._style_levels.get(state.style)
        self._writer.paragraph(
            "".join(self._text), level=level, marker=self._marker, depth=state.depth, in_table=state.in_table
        )
        self._text.clear()
        self._marker = ""
