"""JSON written on one long line: laid out anew, so that a passage can be read and says where it stands."""

from __future__ import annotations

import posixpath
import re
from itertools import takewhile

from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Block, Document, Kind
from docshelf.documents.text.code import parse_code
from docshelf.documents.tiling import shortened

_LONG_LINE = 5_000
_EXTENSIONS = ("json", "geojson", "topojson", "webmanifest", "har", "avsc", "map")
_MOST_LAID_OUT = 10_000_000
_FULL_BLOCK = 1_500
_FULL_LINE = 100
_DEEPEST_INDENT = 12
_DEEPEST_PATH = 4
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_WARNING = "The JSON was on one long line and was laid out anew; lines count in the new layout."


def is_long_json(text: str, extension: str) -> bool:
    """Whether `text` looks like JSON and has a line too long to be cited."""
    if extension not in _EXTENSIONS or not _LONG_LINE < len(text) <= _MOST_LAID_OUT:
        return False
    return text.lstrip()[:1] in ("{", "[") and max(map(len, text.split("\n"))) > _LONG_LINE


def parse_long_json(text: str, key: str) -> Document:
    """Lay `text` out, a name to a line, and read it in blocks under the names that lead to them.

    Every sign of the text but white space is kept, whether it is valid JSON or not.
    """
    if not _TOKEN.search(text):
        return parse_code(text, key)
    layout = _Layout()
    tokens = _TOKEN.findall(text)
    for number, token in enumerate(tokens):
        layout.add(token, tokens[number + 1] if number + 1 < len(tokens) else "")
    written, blocks = layout.finished()
    return Document(
        shortened(posixpath.basename(key) or key), written, blocks, str(MediaType.JSON), warnings=(_WARNING,)
    )


class _Layout:
    """Lines of the new layout, and the blocks that they fill.

    What is open has the names that lead to it, so that a line costs the same however deep it stands.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._blocks: list[Block] = []
        self._open: list[tuple[str, tuple[str, ...]]] = []
        self._path: tuple[str, ...] | None = None
        self._block_start = self._line_start = self._length = 0
        self._name = ""

    def add(self, sign: str, following: str) -> None:
        """Write `sign`; `following` is the one behind it."""
        if sign in ("{", "["):
            self._write(sign)
            names = (*self._names(), self._name) if self._name else self._names()
            self._open.append((sign, names[:_DEEPEST_PATH]))
            self._name = ""
            if following not in ("}", "]") and (sign == "{" or following in ("{", "[")):
                self._end_line()
        elif sign in ("}", "]"):
            empty = self._parts[-1:] and self._parts[-1] in ("{", "[")
            in_line = self._open and self._open[-1][0] == "[" and self._length > self._line_start
            if self._open:
                self._open.pop()
            if not empty and not in_line and self._length > self._line_start:
                self._end_line()
            self._write(sign)
        elif sign == ",":
            self._write(sign)
            in_list = self._open and self._open[-1][0] == "[" and following not in ("{", "[")
            if in_list and self._length - self._line_start < _FULL_LINE:
                self._write(" ")
            else:
                self._end_line()
        elif sign == ":":
            self._write(": ")
        else:
            self._name = shortened(sign.strip('"')) if following == ":" else ""
            self._write(sign)

    def finished(self) -> tuple[str, tuple[Block, ...]]:
        """The text and its blocks."""
        self._end_line()
        self._end_block()
        return "".join(self._parts), tuple(self._blocks)

    def _names(self) -> tuple[str, ...]:
        """The names that lead to what is open."""
        return self._open[-1][1] if self._open else ()

    def _write(self, text: str) -> None:
        if self._length == self._line_start:
            names = self._names()
            self._path = names if self._path is None else _common(self._path, names)
            text = " " * min(len(self._open), _DEEPEST_INDENT) + text
        self._parts.append(text)
        self._length += len(text)

    def _end_line(self) -> None:
        self._parts.append("\n")
        self._length += 1
        self._line_start = self._length
        if self._length - self._block_start >= _FULL_BLOCK:
            self._end_block()

    def _end_block(self) -> None:
        if self._length > self._block_start:
            self._blocks.append(Block(Kind.CODE, self._block_start, self._length, self._path or ()))
        self._block_start, self._path = self._length, None


def _common(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
