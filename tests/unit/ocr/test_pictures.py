"""What pictures tell of themselves, also when they are cut short or lie."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.ocr.pictures import Picture, picture_of

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 800, 1_200)
JPEG_SIZE = b"\xff\xc2\x00\x11\x08" + struct.pack(">HH", 1_200, 800)


def tiff(pages: int, order: str = "<", side: int = 1_700, last: int = 0) -> bytes:
    """A TIFF of so many pages; the last directory leads on to the place `last`."""
    data = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(f"{order}I", 8)
    for page in range(1, pages + 1):
        following = len(data) + 2 + 24 + 4
        data += struct.pack(f"{order}H", 2)
        data += struct.pack(f"{order}HHIHH", 256, 3, 1, 800, 0) + struct.pack(f"{order}HHII", 257, 4, 1, side)
        data += struct.pack(f"{order}I", last if page == pages else following)
    return data


@pytest.mark.parametrize(
    ("data", "picture"),
    [
        (PNG, Picture("png", 1_200)),
        (b"\xff\xd8\xff\xe0\x00\x04ab" + JPEG_SIZE, Picture("jpeg", 1_200)),
        (b"\xff\xd8\xff\xff\xe1\x00\x02" + JPEG_SIZE, Picture("jpeg", 1_200)),
        (tiff(1), Picture("tiff", 1_700)),
        (tiff(3, ">"), Picture("tiff", 1_700, 3)),
        (b"GIF89a" + bytes(20), None),
        (b"BM" + bytes(20), None),
        (b"", None),
    ],
)
def test_kind_size_and_pages_are_read(data: bytes, picture: Picture | None) -> None:
    assert picture_of(data, 3_000) == picture


def test_a_chain_of_pages_that_goes_in_a_circle_is_more_than_may_be_sent() -> None:
    made = picture_of(tiff(2, last=8), 50)
    assert made is not None
    assert made.pages == 51


def test_a_chain_that_breaks_counts_the_pages_before_it() -> None:
    made = picture_of(tiff(3, last=1_000_000), 50)
    assert made is not None
    assert made.pages >= 3


@given(st.sampled_from([PNG, b"\xff\xd8\xff\xe0\x00\x04ab" + JPEG_SIZE, tiff(2)]), st.integers(4, 60), st.binary())
def test_a_damaged_picture_is_still_a_picture(data: bytes, kept: int, rest: bytes) -> None:
    made = picture_of(data[:kept] + rest, 10)
    assert made is None or (made.kind in ("png", "jpeg", "tiff") and 1 <= made.pages <= 11)
