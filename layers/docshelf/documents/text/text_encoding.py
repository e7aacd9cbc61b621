"""From bytes to text: byte order marks, UTF-8 and its damaged forms, then a guess among the older encodings.

Nothing is lost in silence: what cannot be decoded becomes U+FFFD or is read as windows-1252, and a warning says so.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from docshelf.documents.text.legacy_encoding import decode_legacy
from docshelf.errors import UnsupportedDocumentError

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE_BYTES = 65_536
# Not counted: NUL (it has its own limit), \b \t \n \v \f \r (old text has them) and ESC (terminal colours).
_CONTROLS = bytes([*range(1, 8), *range(14, 27), *range(28, 32)])
_CONTROL_SHARE = 0.02
_MAX_STRAY_CONTROLS = 3
_NUL_SHARE = 0.3
_MAX_REPAIRS = 1_000_000
_REPLACEMENT = "\ufffd"
_DAMAGED_LINE = re.compile("^[^\n\ufffd]*\ufffd", re.MULTILINE)
_SOUND_LINE = re.compile("^[\x00-\x09\x0b-\x7f]*[^\x00-\x7f\ufffd][^\n\ufffd]*$", re.MULTILINE)

TYPES_READ = (
    "Markdown, HTML, PDF, DOCX, PPTX, XLSX, XLS, XLSB, CSV, ODT, ODS, ODP, RTF, EPUB, mail, Jupyter notebooks, "
    "reStructuredText, AsciiDoc, plain text, source code, and ZIP and TAR archives of these"
)


@dataclass(frozen=True, slots=True)
class DecodedText:
    """`text` has `\\n` line ends only, no NUL and no lone surrogate; `encoding` is the codec's name."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes) -> DecodedText:
    """Read `data` as text.

    Raises:
        UnsupportedDocumentError: it is binary data.
    """
    marked = _decode_marked(data)
    if marked is None:
        if looks_binary(data):
            raise UnsupportedDocumentError(f"The file is binary data; docshelf reads {TYPES_READ}.")
        marked = _decode_wide(data) or _decode_utf8(data)
    if marked is None:
        text, encoding = decode_legacy(data)
        marked = DecodedText(text, encoding, (f"The text is not UTF-8; it was read as {encoding}.",))
        if _REPLACEMENT in text:
            marked = _warn(marked, text, "Some bytes could not be decoded and are shown as U+FFFD.")
    return _normalised(marked)


def looks_binary(data: bytes) -> bool:
    """Whether control characters or NULs make up too much of `data` for text; three bounded samples are looked at."""
    middle = len(data) // 2
    sample = data
    if len(data) > 3 * _SAMPLE_BYTES:
        sample = data[:_SAMPLE_BYTES] + data[middle : middle + _SAMPLE_BYTES] + data[-_SAMPLE_BYTES:]
    if wide_encoding(data) is not None or any(data.startswith(mark) for mark, _ in _BYTE_ORDER_MARKS):
        return False
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls > max(_MAX_STRAY_CONTROLS, _CONTROL_SHARE * len(sample)):
        return True
    return sample.count(0) > max(_MAX_STRAY_CONTROLS, _NUL_SHARE * len(sample))


def wide_encoding(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a byte order mark, told by where the NULs are; None when it is neither."""
    head = data[:4_096]
    head = head[: len(head) - len(head) % 4]
    if len(head) < 8 or 0 not in head:
        return None
    zeros = [head[offset::4].count(0) / (len(head) // 4) for offset in range(4)]
    patterns = {
        "utf-32-le": zeros[0] < 0.1 and min(zeros[2:]) > 0.95,
        "utf-32-be": zeros[3] < 0.1 and min(zeros[:2]) > 0.95,
        "utf-16-le": max(zeros[0], zeros[2]) < 0.1 and min(zeros[1], zeros[3]) > 0.5,
        "utf-16-be": max(zeros[1], zeros[3]) < 0.1 and min(zeros[0], zeros[2]) > 0.5,
    }
    return next((name for name, holds in patterns.items() if holds), None)


def _decode_marked(data: bytes) -> DecodedText | None:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if not data.startswith(mark):
            continue
        body = data[len(mark) :]
        if encoding == "utf-8":
            decoded = _decode_utf8(body)
            return decoded if decoded is not None else _repaired_utf8(body)
        if encoding.startswith("utf-32") and len(data) % 4:
            continue
        return _replacing(body, encoding)
    return None


def _decode_wide(data: bytes) -> DecodedText | None:
    encoding = wide_encoding(data)
    return None if encoding is None else _replacing(data, encoding)


def _replacing(data: bytes, encoding: str) -> DecodedText:
    try:
        return DecodedText(data.decode(encoding), encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, errors="replace")
        return DecodedText(text, encoding, (f"Some bytes are not valid {encoding.upper()} and are shown as U+FFFD.",))


def _decode_utf8(data: bytes) -> DecodedText | None:
    """UTF-8, whole, cut at its end, or with a minority of damaged lines; None when it is another encoding."""
    try:
        return DecodedText(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            text = data[: error.start].decode("utf-8") + _REPLACEMENT
            return DecodedText(text, "utf-8", ("The file ends in the middle of a character, shown as U+FFFD.",))
    lenient = data.decode("utf-8", errors="replace")
    damaged = len(_DAMAGED_LINE.findall(lenient))
    sound = len(_SOUND_LINE.findall(lenient))
    if sound < damaged:
        return None
    if lenient.count(_REPLACEMENT) > _MAX_REPAIRS:
        return DecodedText(lenient, "utf-8", ("Very many bytes are not valid UTF-8 and are shown as U+FFFD.",))
    return _repaired_utf8(data)


def _repaired_utf8(data: bytes) -> DecodedText:
    text = data.decode("utf-8", errors=_WINDOWS_1252)
    warning = "Some bytes are not valid UTF-8; they were read as windows-1252 where possible, else shown as U+FFFD."
    return DecodedText(text, "utf-8", (warning,))


def _read_as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", errors="replace"), error.end


_WINDOWS_1252 = "docshelf.windows_1252"
codecs.register_error(_WINDOWS_1252, _read_as_windows_1252)


def _warn(decoded: DecodedText, text: str, warning: str) -> DecodedText:
    return DecodedText(text, decoded.encoding, (*decoded.warnings, warning))


def _normalised(decoded: DecodedText) -> DecodedText:
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        decoded = _warn(decoded, "", "NUL characters were removed from the text.")
        text = text.replace("\0", "")
    return DecodedText(text, decoded.encoding, decoded.warnings)
