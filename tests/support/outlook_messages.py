"""Small Outlook messages, made stream by stream, for tests of their parser."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from datetime import UTC, datetime

_SECTOR, _SMALL_SECTOR, _CUTOFF = 512, 64, 4_096
_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)

Tree = Mapping[str, "bytes | Tree"]


def wide(number: int, text: str) -> tuple[str, bytes]:
    """Name and content of a text property."""
    return f"__substg1.0_{number:04X}001F", text.encode("utf-16-le")


def narrow(number: int, text: bytes) -> tuple[str, bytes]:
    """Name and content of a text property of before Unicode."""
    return f"__substg1.0_{number:04X}001E", text


def binary(number: int, content: bytes) -> tuple[str, bytes]:
    """Name and content of a property of bytes."""
    return f"__substg1.0_{number:04X}0102", content


def fixed(values: Mapping[int, int], header: int) -> tuple[str, bytes]:
    """The stream of the properties of a fixed size, behind a header of `header` bytes."""
    entries = b"".join(struct.pack("<HHIQ", 0x0003, number, 6, value) for number, value in values.items())
    return "__properties_version1.0", bytes(header) + entries


def ticks(moment: datetime) -> int:
    """A time as a property has it."""
    return int((moment - _EPOCH).total_seconds()) * 10_000_000


def container(tree: Tree) -> bytes:
    """An OLE2 file of `tree`: streams as bytes, storages as mappings."""
    entries: list[list[int | str]] = [["Root Entry", 5, _FREE, _FREE, _FREE, _END, 0]]
    small, large = bytearray(), []

    def add(content: Tree, parent: int) -> None:
        previous: int | None = None
        for name, value in content.items():
            number = len(entries)
            is_stream = isinstance(value, bytes)
            entries.append([name, 2 if is_stream else 1, _FREE, _FREE, _FREE, 0, 0])
            if previous is None:
                entries[parent][4] = number
            else:
                entries[previous][3] = number
            previous = number
            if not isinstance(value, bytes):
                add(value, number)
            elif len(value) < _CUTOFF:
                entries[number][5:] = [len(small) // _SMALL_SECTOR, len(value)]
                small.extend(value + bytes(-len(value) % _SMALL_SECTOR))
            else:
                large.append((number, value))

    add(tree, 0)
    return _laid_out(entries, bytes(small), large)


def _laid_out(entries: list[list[int | str]], small: bytes, large: list[tuple[int, bytes]]) -> bytes:
    sizes: dict[int, int] = {}
    for _, kind, *_, start, size in entries:
        if kind == 2 and isinstance(start, int) and isinstance(size, int) and size:
            sizes[start] = -(-size // _SMALL_SECTOR)
    small_table = [_FREE] * (len(small) // _SMALL_SECTOR)
    for start, count in sizes.items():
        small_table[start : start + count] = [*range(start + 1, start + count), _END]
    body, chain = bytearray(), list[int]()

    def place(content: bytes) -> int:
        if not content:
            return _END
        start = len(body) // _SECTOR
        body.extend(content + bytes(-len(content) % _SECTOR))
        count = len(body) // _SECTOR - start
        chain.extend([*range(start + 1, start + count), _END])
        return start

    for number, content in large:
        entries[number][5:] = [place(content), len(content)]
    entries[0][5:] = [place(small), len(small)]
    table_start = place(struct.pack(f"<{len(small_table)}I", *small_table) if small_table else b"")
    directory = place(b"".join(_entry(*entry) for entry in entries))
    fat_start, fat_count = len(chain), 1
    while (fat_start + fat_count) * 4 > fat_count * _SECTOR:
        fat_count += 1
    chain += [_FAT] * fat_count
    chain += [_FREE] * (fat_count * _SECTOR // 4 - len(chain))
    header = struct.pack(
        "<8s16sHHHHHHIIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", bytes(16), 0x3E, 3, 0xFFFE, 9, 6, 0, 0,
        0, fat_count, directory, 0, _CUTOFF, table_start, 1 if small_table else 0, _END, 0,
    )  # fmt: skip
    places = [fat_start + index for index in range(fat_count)]
    header += struct.pack("<109I", *places, *[_FREE] * (109 - fat_count))
    return header + bytes(body) + struct.pack(f"<{len(chain)}I", *chain)


def _entry(name: int | str, *fields: int | str) -> bytes:
    kind, left, right, child, start, size = fields
    spelled = (str(name) + "\0").encode("utf-16-le")
    head = struct.pack("<64sHBBIII", spelled, len(spelled), kind, 1, left, right, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)
