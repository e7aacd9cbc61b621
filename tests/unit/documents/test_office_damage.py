"""Damaged files of every office format: a document or a document error, never anything else, and blocks that tile."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docshelf.documents import parse
from docshelf.documents.tiling import tiles
from docshelf.errors import DocumentError
from docshelf.settings import Limits
from tests.support.binary_workbooks import number_cell, old_workbook, percent_style, text_cell
from tests.support.fuzz_seeds import BINARY, FRAME, ROWS, SHEET, WRITTEN
from tests.support.office_files import (
    book_parts,
    open_document_parts,
    package,
    presentation_parts,
    shape,
    sheet_rows,
    workbook_parts,
)
from tests.support.outlook_messages import container, fixed
from tests.support.outlook_messages import wide as text_property

LIMITS = Limits(max_characters=200_000, max_bytes=5_000_000)
STYLES = (
    '<numFmts><numFmt numFmtId="164" formatCode="#,##0.00 &quot;x&quot;"/></numFmts>'
    '<cellXfs><xf numFmtId="164"/></cellXfs>'
)
MAIL = (
    b'From: =?utf-8?q?A?= <a@x>\nTo: b@x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="X"\n\n--X\n'
    b"Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n<p>caf=C3=A9\n--X\n"
    b"Content-Type: message/rfc822\n\nSubject: Inner\n\nWords\n--X\n"
    b"Content-Type: text/csv; name*0*=utf-8''a; name*1=b\nContent-Transfer-Encoding: base64\n\nYSxi\n--X--\n"
)
FILES: dict[str, bytes] = {
    "a.xlsx": package(workbook_parts({"Loans": sheet_rows(ROWS)}, shared=["<t>x</t>"], styles=STYLES)),
    "a.pptx": package(presentation_parts([shape("Title", holder="title") + shape("Text", place=(1, 2))])),
    "a.odt": package(open_document_parts("text", WRITTEN)),
    "a.ods": package(open_document_parts("spreadsheet", SHEET)),
    "a.odp": package(open_document_parts("presentation", FRAME)),
    "a.epub": package(book_parts({"a.xhtml": "<h1>A</h1><p>Words.</p>"}, contents='<a href="a.xhtml">A</a>')),
    "a.xlsb": package(BINARY),
    "a.xls": old_workbook(percent_style(), text_cell(0, 0, "Bank") + number_cell(1, 0, 0.25, 1)),
    "a.rtf": (
        rb"{\rtf1\ansi{\fonttbl{\f0 A;}}\trowd\intbl a\cell b\cell\row"
        rb"\pard{\listtext 1.}\u8364?\'e9\par{\footnote n}}"
    ),
    "a.eml": MAIL,
    "a.mbox": b"From a@x Fri Mar  1 10:15:00 2024\n" + MAIL + b"\nFrom a@x Fri Mar  1 10:15:00 2024\n" + MAIL,
    "a.msg": container(dict([fixed({0x0039: 133_500_000_000_000_000}, 32), text_property(0x1000, "Words")])),
    "a.csv": b'Bank,Rate\nNorth,"4\n1"\nSouth,3.9\n',
    "a.ipynb": json.dumps({"cells": [{"cell_type": "code", "source": ["x"], "outputs": []}], "nbformat": 4}).encode(),
    "a.json": json.dumps({"a": [{"b": "x" * 40}] * 200}).encode(),
}
CHANGES = st.lists(
    st.tuples(
        st.integers(0, 1_000_000), st.integers(0, 40), st.binary(max_size=6) | st.sampled_from([b"99999999999", b"-1"])
    ),
    min_size=1,
    max_size=6,
)


def changed(data: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    """`data` with runs of bytes at some places replaced."""
    for place, length, replacement in changes:
        position = place % (len(data) + 1)
        data = data[:position] + replacement + data[position + length :]
    return data


def with_changed_part(data: bytes, number: int, changes: list[tuple[int, int, bytes]]) -> bytes:
    """A package of which one part is changed, so that the damage reaches the parser behind the ZIP's own checks."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    name = list(parts)[number % len(parts)]
    content = parts[name]
    assert isinstance(content, bytes)
    return package({**parts, name: changed(content, changes)})


def check(data: bytes, key: str) -> None:
    try:
        document = parse(data, key, LIMITS)
    except DocumentError:
        return
    assert tiles(document.blocks, len(document.text))
    assert {"\0", "\r"}.isdisjoint(document.text)
    document.text.encode()
    assert "\n" not in document.title


@pytest.mark.parametrize("key", FILES)
def test_each_file_is_read_before_it_is_damaged(key: str) -> None:
    assert parse(FILES[key], key, LIMITS).text.strip()


@pytest.mark.parametrize("key", FILES)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(changes=CHANGES)
def test_a_damaged_file_is_a_document_or_a_document_error(key: str, changes: list[tuple[int, int, bytes]]) -> None:
    check(changed(FILES[key], changes), key)


@pytest.mark.parametrize("key", [key for key, data in FILES.items() if data.startswith(b"PK")])
@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(number=st.integers(0, 20), changes=CHANGES)
def test_a_damaged_part_is_a_document_or_a_document_error(
    key: str, number: int, changes: list[tuple[int, int, bytes]]
) -> None:
    check(with_changed_part(FILES[key], number, changes), key)


@pytest.mark.parametrize("key", FILES)
@settings(deadline=None, max_examples=30)
@given(data=st.binary(max_size=300))
def test_any_bytes_behind_a_formats_first_ones_are_a_document_or_a_document_error(key: str, data: bytes) -> None:
    check(FILES[key][:12] + data, key)
