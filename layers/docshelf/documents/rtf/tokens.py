"""The signs of which RTF consists: braces, control words, coded bytes, plain bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?[0-9]{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n\0]+|([^\\{}\r\n\0]+)|\\",
    re.DOTALL,
)
_SYMBOLS = {
    b"~": b"nbsp",
    b"_": b"nbhyphen",
    b"-": b"softhyphen",
    b"\n": b"par",
    b"\r": b"par",
    b"\t": b"tab",
    b"*": b"*",
}

Token = tuple[str, str, int | None, bytes]
"""Kind ("{", "}", "word" or "bytes"), the control word, its number if it has one, the bytes."""


def tokens(data: bytes) -> Iterator[Token]:
    """The tokens of `data`; binary parts, whose length their control word says, are left out."""
    position = 0
    while position < len(data):
        match = _TOKEN.match(data, position)
        if match is None:
            return
        position = match.end()
        word, value, coded, symbol, brace, plain = match.groups()
        if plain is not None:
            yield "bytes", "", None, plain
        elif brace is not None:
            yield brace.decode("ascii"), "", None, b""
        elif coded is not None:
            yield "bytes", "", None, bytes([int(coded, 16)])
        elif symbol is not None:
            if symbol in b"\\{}":
                yield "bytes", "", None, symbol
            elif symbol in _SYMBOLS:
                yield "word", _SYMBOLS[symbol].decode("ascii"), None, b""
        elif word is not None:
            number = int(value) if value else None
            if word == b"bin":
                position += max(0, number or 0)
            yield "word", word.decode("ascii"), number, b""
