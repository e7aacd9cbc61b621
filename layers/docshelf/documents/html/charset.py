"""The charset of an HTML file: byte order mark, then what the page says, then UTF-8, then a guess."""

from __future__ import annotations

import codecs
import re

from docshelf.documents.text.text_encoding import decode

_LOOKED_AT = 4_096
_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}?\bcharset\s*=\s*["']?\s*([A-Za-z0-9_:.-]{2,40})|"""
    rb"""<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([A-Za-z0-9_:.-]{2,40})""",
    re.IGNORECASE,
)
# Browsers read these names as the larger sets that pages so named really use.
_LARGER = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
_TEXT_CODECS = ("iso", "cp", "koi8", "mac", "gb", "big5", "euc", "shift", "utf-8", "hz", "johab", "tis", "ascii", "kz")
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode_html(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text, line ends as they are, and warnings about bytes that could not be read.

    Raises:
        UnsupportedDocumentError: it is binary data.
    """
    name = None if data.startswith(_MARKS) else _declared(data)
    if name is not None:
        try:
            return data.decode(name), ()
        except UnicodeDecodeError:
            pass
    decoded = decode(data)
    return decoded.text, decoded.warnings


def codec_of(charset: str) -> str | None:
    """Python's name of the text encoding that `charset` names; None where it is none that is read."""
    try:
        name = codecs.lookup(charset).name
    except (LookupError, ValueError):
        return None
    return _LARGER.get(name, name) if name.startswith(_TEXT_CODECS) else None


def _declared(data: bytes) -> str | None:
    """Python's name of the declared charset; None where there is none, or none that the declaration can be in."""
    match = _DECLARED.search(data[:_LOOKED_AT])
    return None if match is None else codec_of((match[1] or match[2]).decode("ascii"))
