"""Small workbooks in Excel's two binary forms, made record by record, for tests of their parsers."""

from __future__ import annotations

import struct


def binary_record(kind: int, payload: bytes = b"") -> bytes:
    """A record of an XLSB part."""
    number = bytes([kind & 0x7F | 0x80, kind >> 7]) if kind > 0x7F else bytes([kind])
    return number + bytes([len(payload) & 0x7F | 0x80, len(payload) >> 7]) + payload


def wide(text: str) -> bytes:
    """A text as XLSB parts keep it."""
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def old_workbook(records: bytes, sheet: bytes) -> bytes:
    """An XLS file of one sheet: an OLE2 container with the stream of a workbook, padded to the least size of one.

    `records` come after the workbook's beginning, `sheet` are the sheet's own.
    """
    beginning = _record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0)) + records
    name = b"Loans"
    listed = _record(0x85, struct.pack("<IBBBB", 0, 0, 0, len(name), 0) + name)
    offset = len(beginning) + len(listed) + 4
    listed = _record(0x85, struct.pack("<IBBBB", offset, 0, 0, len(name), 0) + name)
    body = _record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0)) + sheet + _record(0x0A)
    return _container("Workbook", beginning + listed + _record(0x0A) + body)


def number_cell(row: int, column: int, value: float, style: int = 0) -> bytes:
    """A record of an XLS sheet: a number in a cell."""
    return _record(0x203, struct.pack("<HHHd", row, column, style, value))


def text_cell(row: int, column: int, text: str) -> bytes:
    """A record of an XLS sheet: a text in a cell."""
    return _record(0x204, struct.pack("<HHHHB", row, column, 0, len(text), 1) + text.encode("utf-16-le"))


def percent_style() -> bytes:
    """Records of an XLS workbook: a cell style 0 without a format and a style 1 that writes numbers as percent."""
    general, percent = (struct.pack("<HHHBBBBIIH", 0, number, 0, 0, 0, 0, 0, 0, 0, 0) for number in (0, 9))
    return _record(0xE0, general) + _record(0xE0, percent)


def _record(kind: int, payload: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(payload)) + payload


def _container(name: str, stream: bytes) -> bytes:
    """An OLE2 file of one stream: a sector of the table, one of the directory, then the stream."""
    stream = stream.ljust(4_096, b"\0")
    stream = stream.ljust(-(-len(stream) // 512) * 512, b"\0")
    sectors = len(stream) // 512
    table = [0xFFFFFFFD, 0xFFFFFFFE, *range(3, sectors + 2), 0xFFFFFFFE]
    header = struct.pack(
        "<8s16sHHHHH6xIIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"",
        0x3E,
        3,
        0xFFFE,
        9,
        6,
        0,
        1,
        1,
        0,
        4_096,
        0xFFFFFFFE,
        0,
        0xFFFFFFFE,
        0,
        0,
    )
    header = header[:76] + struct.pack("<109I", 0, *[0xFFFFFFFF] * 108)

    def entry(title: str, kind: int, child: int, start: int, size: int) -> bytes:
        encoded = title.encode("utf-16-le")
        return encoded.ljust(64, b"\0") + struct.pack(
            "<HBBIII16xI16xIQ", len(encoded) + 2, kind, 1, 0xFFFFFFFF, 0xFFFFFFFF, child, 0, start, size
        )

    directory = entry("Root Entry", 5, 1, 0xFFFFFFFE, 0) + entry(name, 2, 0xFFFFFFFF, 2, len(stream))
    padded = struct.pack(f"<{len(table)}I", *table).ljust(512, b"\xff")
    return header + padded + directory.ljust(512, b"\0") + stream
