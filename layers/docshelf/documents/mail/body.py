"""The text of a mail: plain text with its quoted replies, or a page of HTML."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

from docshelf.documents.html.chrome import JUNK
from docshelf.documents.html.reader import flatten
from docshelf.documents.html.text import verbatim
from docshelf.documents.html.walk import PieceWriter
from docshelf.documents.pieces import Piece

_HIDDEN = 'head, [hidden], [style*="display:none" i], [style*="display: none" i]'
_QUOTES = re.compile(r"(?:> ?)*")
_SIGNATURE = "-- "
_ENCRYPTED_TEXT = re.compile(r"\s*-----BEGIN PGP MESSAGE-----\n.*?-----END PGP MESSAGE-----\s*", re.DOTALL)
_SHORT_NOTE = 300
_TIMES_LONGER = 3


def html_body(text: str) -> list[Piece]:
    """What a mail in HTML shows."""
    tree = LexborHTMLParser(flatten(text))
    for node in tree.css(f"{JUNK}, {_HIDDEN}"):
        node.decompose()
    return PieceWriter(set()).write(tree.body) if tree.body is not None else []


def is_stand_in(plain: str, pieces: list[Piece]) -> bool:
    """Whether a mail's plain text is only a note that its HTML has far more to say."""
    length = len(" ".join(plain.split()))
    return length < _SHORT_NOTE and sum(len(piece.text) for piece in pieces) > max(_TIMES_LONGER * length, 1)


def without_repeats(bodies: list[str | list[Piece]]) -> list[str | list[Piece]]:
    """Without the HTML that says again what plain text before it says."""
    said = ""
    kept: list[str | list[Piece]] = []
    for body in bodies:
        if isinstance(body, str):
            said += _letters(body)
        elif said and _letters("".join(piece.text for piece in body)) in said:
            continue
        kept.append(body)
    return kept


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def is_encrypted_text(text: str) -> bool:
    """Whether the text is one encrypted by PGP and nothing else."""
    return _ENCRYPTED_TEXT.fullmatch(text) is not None


def joined_lines(text: str, *, without_space: bool = False) -> str:
    """Text of the form `format=flowed` with its paragraphs in one line each (RFC 3676).

    `without_space` is true where the space that joins two lines is no part of the text.
    """
    joined: list[str] = []
    open_quotes: str | None = None
    for line in text.split("\n"):
        match = _QUOTES.match(line)
        quotes = match[0].replace(" ", "") if match else ""
        body = line[len(match[0]) if match and quotes else 0 :]
        body = body.removeprefix(" ") if not quotes else body
        goes_on = body.endswith(" ") and body != _SIGNATURE
        kept = body[:-1] if goes_on and without_space else body
        if open_quotes == quotes and body != _SIGNATURE:
            joined[-1] += kept
        else:
            joined.append(f"{quotes} {kept}" if quotes else kept)
        open_quotes = quotes if goes_on else None
    return "\n".join(joined)


def paragraphs(text: str) -> str:
    """`text` without control characters and spaces at the ends of lines, one blank line between paragraphs."""
    return re.sub(r"\n{3,}", "\n\n", verbatim(text))
