"""Header lines of mail as real mail has them: encoded words, unknown charsets, bytes that should not be there."""

from __future__ import annotations

import binascii
import codecs
import quopri
import re
from datetime import datetime
from email.utils import parsedate_to_datetime

from docshelf.documents.html.charset import codec_of
from docshelf.documents.html.text import one_line
from docshelf.documents.text.text_encoding import decode
from docshelf.errors import UnsupportedDocumentError

_LONGEST_LINE = 1_000
_LONGEST_READ = 20_000
_ENCODED_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bq])\?([^?]*)\?=", re.IGNORECASE)
_BLANK = re.compile(r"\s*")
_WIDE = ("utf-7", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")


def decoded_bytes(data: bytes, charset: str) -> tuple[str, tuple[str, ...]]:
    """`data` as text by the charset that a mail declares, else by a guess; and what was lost. Line ends are `\\n`.

    Raises:
        UnsupportedDocumentError: it is binary data.
    """
    codec = _codec(charset)
    if codec is not None:
        try:
            text = data.decode(codec)
        except UnicodeError:
            pass
        else:
            text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").removeprefix("\ufeff")
            return text.encode("utf-8", errors="replace").decode("utf-8"), ()
    decoded = decode(data)
    return decoded.text, decoded.warnings


def header_text(value: str) -> str:
    """`value` on one line, its encoded words decoded, cut after 1,000 characters."""
    line = one_line(_decoded_words(unescaped(value[:_LONGEST_READ])))
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1].rstrip() + "…"


def unescaped(value: str) -> str:
    """`value`, in which Python's parser let bytes beyond ASCII stand as lone surrogates, with these decoded."""
    if value.isascii():
        return value
    try:
        data = value.encode("utf-8", errors="surrogateescape")
    except UnicodeEncodeError:
        return value.encode("utf-8", errors="replace").decode("utf-8")
    return _lenient(data, "")


def shown_date(value: str) -> str:
    """The date of a mail as `2024-03-01 10:15 +0100`; as it was written where it is no date."""
    try:
        return date_line(parsedate_to_datetime(unescaped(value[:_LONGEST_LINE])))
    except (ValueError, TypeError, LookupError, OverflowError):
        return header_text(value)


def date_line(moment: datetime) -> str:
    """`moment` as a mail's date is shown, with its time zone where that is known."""
    return f"{moment:%Y-%m-%d %H:%M %z}".strip() if moment.year >= 1_000 else f"{moment:%H:%M %z}".strip()


def _codec(charset: str) -> str | None:
    name = charset.strip("\"' \t").partition("*")[0]
    try:
        plain = codecs.lookup(name).name if name.isascii() else ""
    except (LookupError, ValueError):
        return None
    if plain == "ascii":
        return None  # what says so and is not, is UTF-8 more often than anything else
    return plain if plain in _WIDE else codec_of(name)


def _decoded_words(value: str) -> str:
    """Neighbours of one charset are joined before they are decoded: a character may be cut in two."""
    written: list[str] = []
    waiting, waiting_charset = b"", ""
    position = 0
    for match in _ENCODED_WORD.finditer(value):
        charset = match[1].casefold()
        between = value[position : match.start()]
        follows = bool(waiting) and _BLANK.fullmatch(between) is not None
        if waiting and not (follows and charset == waiting_charset):
            written.append(_lenient(waiting, waiting_charset))
            waiting = b""
        if not follows:
            written.append(between)
        waiting, waiting_charset = waiting + _word_bytes(match), charset
        position = match.end()
    if waiting:
        written.append(_lenient(waiting, waiting_charset))
    return "".join([*written, value[position:]])


def _word_bytes(match: re.Match[str]) -> bytes:
    content = match[3].encode("utf-8")
    if match[2] in "qQ":
        return quopri.decodestring(content, header=True)
    return lenient_base64(content)


def lenient_base64(content: bytes) -> bytes:
    """What `content` stands for in Base64, with wrong padding and foreign characters passed over."""
    kept = re.sub(rb"[^A-Za-z0-9+/]", b"", content)
    kept = kept[: len(kept) - (len(kept) % 4 == 1)]
    return binascii.a2b_base64(kept + b"=" * (-len(kept) % 4))


def _lenient(data: bytes, charset: str) -> str:
    try:
        return decoded_bytes(data, charset)[0]
    except UnsupportedDocumentError:
        return data.decode("cp1252", errors="replace")
