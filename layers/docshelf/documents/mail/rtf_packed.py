"""RTF as Outlook packs it (MS-OXRTFCP): runs of bytes that were met before, in a window of 4,096 bytes."""

from __future__ import annotations

import struct

_HEADER = struct.Struct("<IIII")
_PACKED, _PLAIN = 0x75465A4C, 0x414C454D
_WINDOW = 4_096
_SHORTEST_RUN = 2
# What the window holds at the start, by the specification.
_START = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans Serif"
    rb"SymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)


def unpacked_rtf(data: bytes, most: int) -> bytes:
    """The RTF that `data` packs, up to where it is damaged and to `most` bytes; empty where it is none."""
    if len(data) < _HEADER.size:
        return b""
    _, length, kind, _ = _HEADER.unpack_from(data)
    most = min(most, length)
    if kind == _PLAIN:
        return data[_HEADER.size : _HEADER.size + most]
    if kind != _PACKED:
        return b""
    return _unpacked(data, most)


def _unpacked(data: bytes, most: int) -> bytes:
    written = bytearray(_START)
    most += len(_START)
    position, end = _HEADER.size, len(data)
    while position < end and len(written) < most:
        flags = data[position]
        position += 1
        for bit in range(8):
            if not flags >> bit & 1:
                written += data[position : position + 1]
                position += 1
                continue
            if position + 1 >= end:
                return bytes(written[len(_START) : most])
            reference = data[position] << 8 | data[position + 1]
            position += 2
            back = (len(written) - (reference >> 4)) % _WINDOW
            if back == 0 or back > len(written):  # a reference to the place itself marks the end
                return bytes(written[len(_START) : most])
            for _ in range((reference & 0xF) + _SHORTEST_RUN):
                written.append(written[-back])
    return bytes(written[len(_START) : most])
