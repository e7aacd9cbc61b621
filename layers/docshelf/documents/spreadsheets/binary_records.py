"""The records of which the parts of an XLSB workbook consist: a number, a length, that many bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterator


def records(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and payload of each record; ends at the first that is cut off."""
    position, length = 0, len(content)
    while position < length:
        kind, position = _varying(content, position, 2)
        size, position = _varying(content, position, 4)
        if position + size > length:
            return
        yield kind, content[position : position + size]
        position += size


def _varying(content: bytes, position: int, most: int) -> tuple[int, int]:
    """A number of up to `most` bytes, each with seven of its bits and one that says whether another follows."""
    value = 0
    for index in range(most):
        if position >= len(content):
            return value, position
        byte = content[position]
        position += 1
        value |= (byte & 0x7F) << (7 * index)
        if not byte & 0x80:
            break
    return value, position


def wide_text(payload: bytes, position: int) -> tuple[str, int]:
    """The text whose length in UTF-16 units stands at `position`, and where it ends.

    Raises:
        struct.error: the payload ends before.
    """
    (units,) = struct.unpack_from("<I", payload, position)
    start = position + 4
    end = min(start + 2 * units, len(payload))
    return payload[start:end].decode("utf-16-le", errors="replace"), end


def packed_number(value: int) -> float:
    """The number that 32 bits stand for: a whole one or the upper half of a float, perhaps in hundredths."""
    if value & 2:
        number = float(struct.unpack("<i", struct.pack("<I", value & 0xFFFFFFFC))[0] >> 2)
    else:
        (number,) = struct.unpack("<d", struct.pack("<Q", (value & 0xFFFFFFFC) << 32))
    return number / 100 if value & 1 else number
