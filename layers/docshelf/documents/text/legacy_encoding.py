"""Text in an encoding older than Unicode: which one, told from a bounded sample."""

from __future__ import annotations

import re

from charset_normalizer import from_bytes

_SAMPLE_BYTES = 16_384
_MOST_BEFORE = 1_000
_FALLBACK = "cp1252"
# Only encodings that documents are really kept in: with rarer ones in the race, short texts are misread.
_CANDIDATES = [
    *("big5", "gb18030", "cp932", "euc_jp", "iso2022_jp", "cp949"),
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874"),
    *("iso8859_2", "iso8859_5", "iso8859_7", "iso8859_9", "koi8_r", "koi8_u", "cp437", "cp850", "cp866", "mac_roman"),
]
_WESTERN_PUNCTUATION = frozenset("‘’“”‚„–—…•€£©®™°§«»·½¼¾±²³´¿¡ªº†‡‰‹› ")
_WESTERN_SHARE = 0.2


def decode_legacy(data: bytes) -> tuple[str, str]:
    """`data` (no Unicode encoding, not binary) as text and the codec's name; undecodable bytes become U+FFFD."""
    sample = _telling_sample(data)
    if _looks_western(sample):
        encoding = _FALLBACK
    else:
        best = from_bytes(sample, cp_isolation=_CANDIDATES, enable_fallback=False).best()
        encoding = best.encoding if best is not None else _FALLBACK
    text = data.decode(encoding, errors="replace")
    return text.encode("utf-8", errors="replace").decode("utf-8"), encoding


def _telling_sample(data: bytes) -> bytes:
    """The first lines that hold bytes beyond ASCII: the only ones that tell encodings apart."""
    lines: list[bytes] = []
    size = 0
    for match in re.finditer(rb"[\x80-\xff][^\r\n]*", data):
        before = data[max(0, match.start() - _MOST_BEFORE) : match.start()]
        lead = re.split(rb"[\r\n]", before)[-1]
        lines.append((lead + match[0])[: _SAMPLE_BYTES - size])
        size += len(lines[-1])
        if size >= _SAMPLE_BYTES:
            break
    return b"\n".join(lines)


def _looks_western(sample: bytes) -> bool:
    """Whether the bytes beyond ASCII are few and read as letters within words or as typographic signs.

    Two-byte encodings and Cyrillic or Greek ones have long runs of such bytes, Western European text has not.
    """
    try:
        text = sample.decode(_FALLBACK)
    except UnicodeDecodeError:
        return False
    high = re.findall(r"[^\x00-\x7f]+", text)
    if sum(map(len, high)) > _WESTERN_SHARE * len(text) or max(map(len, high)) > 3:
        return False
    return all(character.isalpha() or character in _WESTERN_PUNCTUATION for run in high for character in run)
