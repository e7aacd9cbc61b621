"""What the first bytes of PNG, JPEG and TIFF pictures tell: how large they are, and how many pages a TIFF has."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

PNG, JPEG, TIFF = "png", "jpeg", "tiff"

_SIGNATURES = ((b"\x89PNG\r\n\x1a\n", PNG), (b"\xff\xd8\xff", JPEG), (b"II*\0", TIFF), (b"MM\0*", TIFF))
_WIDTH_TAG, _HEIGHT_TAG = 256, 257
_SHORT = 3
_MOST_TAGS = 1_000
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE_MARKERS = frozenset({0x01, *range(0xD0, 0xD9)})


@dataclass(frozen=True, slots=True)
class Picture:
    """`kind`, the longest side in pixels (0: not told) and the number of pages."""

    kind: str
    longest_side: int
    pages: int = 1


def picture_of(data: bytes, most_pages: int) -> Picture | None:
    """What `data` is if it is such a picture. No more than `most_pages` + 1 pages are counted."""
    kind = next((kind for signature, kind in _SIGNATURES if data.startswith(signature)), None)
    try:
        match kind:
            case "png":
                return Picture(PNG, max(struct.unpack_from(">II", data, 16)))
            case "jpeg":
                return Picture(JPEG, _longest_side_of_jpeg(data))
            case "tiff":
                return _tiff(data, "<" if data.startswith(b"II") else ">", most_pages)
    except struct.error:  # cut short: whoever reads it says so
        return Picture(kind or "", 0)
    return None


def _longest_side_of_jpeg(data: bytes) -> int:
    """Of the first frame; segments are passed over by their lengths."""
    place = 2
    while True:
        start, marker = struct.unpack_from(">BB", data, place)
        if start != 0xFF:
            return 0
        if marker == 0xFF or marker in _BARE_MARKERS:
            place += 1 if marker == 0xFF else 2
            continue
        if marker in _FRAMES:
            return int(max(struct.unpack_from(">HH", data, place + 5)))
        place += 2 + max(2, struct.unpack_from(">H", data, place + 2)[0])


def _tiff(data: bytes, order: str, most_pages: int) -> Picture:
    """Directories are chained, one a page; a chain that goes in a circle ends with the count, a broken one there."""
    pages = longest = 0
    try:
        (place,) = struct.unpack_from(f"{order}I", data, 4)
        while place and pages <= most_pages:
            pages += 1
            (tags,) = struct.unpack_from(f"{order}H", data, place)
            longest = max(longest, *_sides(data, order, place + 2, min(tags, _MOST_TAGS)), 0)
            (place,) = struct.unpack_from(f"{order}I", data, place + 2 + 12 * tags)
    except struct.error:
        pass
    return Picture(TIFF, longest, max(pages, 1))


def _sides(data: bytes, order: str, start: int, tags: int) -> Iterator[int]:
    """Width and height in a directory whose first tag is at `start`."""
    for place in range(start, start + 12 * tags, 12):
        tag, kind = struct.unpack_from(f"{order}HH", data, place)
        if tag in (_WIDTH_TAG, _HEIGHT_TAG):
            yield struct.unpack_from(f"{order}{'H' if kind == _SHORT else 'I'}", data, place + 8)[0]
