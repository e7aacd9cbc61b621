"""Which bytes of an RTF file mean which characters: code pages by the number of a page or of a font's set."""

from __future__ import annotations

import codecs

_BY_CHARSET = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
_BY_PAGE = {936: "gb18030", 1361: "johab", 10000: "mac_roman", 65001: "utf-8", 54936: "gb18030"}
DEFAULT = "cp1252"


def codec_of_charset(number: int) -> str | None:
    """Codec of a font whose set of characters has `number`; None where it is the document's."""
    return _BY_CHARSET.get(number)


def codec_of_page(number: int) -> str:
    """Codec of a code page; the Western one where there is none of that number."""
    name = _BY_PAGE.get(number, f"cp{number}")
    try:
        return codecs.lookup(name).name if 0 < number < 100_000 else DEFAULT
    except LookupError:
        return DEFAULT


def joined_halves(text: str) -> str:
    """`text` with the halves of characters beyond 16 bits joined; a half without the other becomes U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
