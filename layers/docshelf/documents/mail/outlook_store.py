"""The properties and streams of an Outlook message (MS-OXMSG), by their numbers."""

from __future__ import annotations

import io
import struct
from datetime import UTC, datetime, timedelta

import olefile

from docshelf.documents.mail.headers import decoded_bytes
from docshelf.errors import ParseFailedError, UnsupportedDocumentError

DAMAGED = (
    OSError,
    struct.error,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
"""What olefile raises when the file is at fault; it checks few of its fields."""

_WIDE, _NARROW, _BINARY, _STORAGE = "001F", "001E", "0102", "000D"
_PROPERTIES = "__properties_version1.0"
_ENTRY = struct.Struct("<HHIQ")
_HEADER_SIZES = {"": 32, "__attach": 8, "__recip_": 8}
_EMBEDDED_HEADER = 24
_MOST_ENTRIES = 10_000
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_CODE_PAGES = (0x3FFD, 0x3FDE)
_SECTOR_SHIFT, _LARGEST_SHIFT = 30, 12
_COUNTS = (44, 64, 72)
"""Where the header has the numbers of sectors of each of its tables."""
_UTF_8, _US_ASCII = 65_001, 20_127


class Store:
    """One storage of the file: the message, one of its attachments, or a message that is attached."""

    def __init__(self, file: olefile.OleFileIO, names: frozenset[str], path: str = "", code_page: str = "") -> None:
        self._file = file
        self._names = names
        self._path = path
        self._largest = file.fp.getbuffer().nbytes
        self._fixed = self._read_fixed()
        self._code_page = self._own_code_page() or code_page

    def text(self, *numbers: int) -> str:
        """The first of these text properties that is there; `\\n` line ends."""
        for number in numbers:
            wide = self._stream(f"__substg1.0_{number:04X}{_WIDE}")
            if wide:
                return _plain_lines(wide.decode("utf-16-le", errors="replace"))
            narrow = self._stream(f"__substg1.0_{number:04X}{_NARROW}")
            if narrow:
                return decoded(narrow, self._code_page)
        return ""

    def binary(self, number: int) -> bytes:
        """A property of bytes; empty where there is none."""
        return self._stream(f"__substg1.0_{number:04X}{_BINARY}")

    def size(self, number: int) -> int:
        """Number of bytes of a property of bytes."""
        name = self._full(f"__substg1.0_{number:04X}{_BINARY}")
        return int(self._file.get_size(name)) if name in self._names else 0

    def number(self, number: int) -> int:
        """A property that is a number; 0 where there is none."""
        return self._fixed.get(number, 0) & 0xFFFFFFFF

    def moment(self, *numbers: int) -> datetime | None:
        """The first of these times that is there."""
        for number in numbers:
            ticks = self._fixed.get(number, 0)
            if ticks:
                try:
                    return _EPOCH + timedelta(microseconds=ticks // 10)
                except OverflowError:
                    continue
        return None

    def within(self, prefix: str) -> list[Store]:
        """The storages in this one whose names begin with `prefix`, in the order of their numbers."""
        start = self._full(prefix)
        names = sorted(name for name in self._names if name.startswith(start) and "/" not in name[len(start) :])
        return [Store(self._file, self._names, name, self._code_page) for name in names]

    def embedded(self) -> Store | None:
        """The message that an attachment is, None where it is another file."""
        found = self.within(f"__substg1.0_3701{_STORAGE}")
        return next((store for store in found if store.has_properties()), None)

    def has_properties(self) -> bool:
        """Whether the storage is one of a message, and not of a program that embeds its document."""
        return self._full(_PROPERTIES) in self._names

    def _own_code_page(self) -> str:
        page = next((self.number(number) for number in _CODE_PAGES if self.number(number)), 0)
        return {0: "", _UTF_8: "utf-8", _US_ASCII: ""}.get(page, f"cp{page}")

    def _full(self, name: str) -> str:
        return f"{self._path}/{name}" if self._path else name

    def _stream(self, name: str) -> bytes:
        full = self._full(name)
        if full not in self._names:
            return b""
        if self._file.get_size(full) > self._largest:
            raise damaged()
        with self._file.openstream(full) as stream:
            return bytes(stream.read())

    def _read_fixed(self) -> dict[int, int]:
        """Number and value of the properties of a fixed size."""
        content = self._stream(_PROPERTIES)
        size = _HEADER_SIZES.get(self._path.rpartition("/")[2][:8], _EMBEDDED_HEADER)
        last = min(len(content), size + _MOST_ENTRIES * _ENTRY.size) - _ENTRY.size
        entries = (_ENTRY.unpack_from(content, start) for start in range(size, last + 1, _ENTRY.size))
        return {number: value for _, number, _, value in entries}


def open_store(data: bytes) -> Store:
    """The message in `data`.

    Raises:
        ParseFailedError: the file is damaged.
    """
    try:
        _check_counts(data)
        file = olefile.OleFileIO(io.BytesIO(data))
        if file.root.size > len(data):
            raise damaged()
        names = frozenset("/".join(path) for path in file.listdir(streams=True, storages=True))
        return Store(file, names)
    except DAMAGED as error:
        raise damaged() from error


def _check_counts(data: bytes) -> None:
    """Refuse tables that would be longer than the file: olefile would follow their circles for as long as they say."""
    (shift,) = struct.unpack_from("<H", data, _SECTOR_SHIFT)
    sectors = (len(data) >> min(shift, _LARGEST_SHIFT)) + 1
    if any(struct.unpack_from("<I", data, place)[0] > sectors for place in _COUNTS):
        raise damaged()


def damaged() -> ParseFailedError:
    """The error for a file of which olefile cannot make sense."""
    return ParseFailedError("The Outlook message is damaged: its parts cannot be read.")


def decoded(data: bytes, charset: str) -> str:
    """`data` as text; a part that is no text is empty."""
    try:
        return decoded_bytes(data, charset)[0]
    except UnsupportedDocumentError:
        return ""


def _plain_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
