"""The one door: detection, dispatch, limits and the check of what a parser returns."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import docshelf.documents
from docshelf.documents import Block, Document, Kind, parse
from docshelf.documents.tiling import tiles
from docshelf.errors import (
    DocumentError,
    DocumentTooLargeError,
    EmptyDocumentError,
    ParseFailedError,
    UnsupportedDocumentError,
)
from docshelf.settings import Limits

LIMITS = Limits()


@pytest.mark.parametrize(
    ("key", "media_type"),
    [
        ("a.md", "markdown"),
        ("a.rst", "restructuredtext"),
        ("a.adoc", "asciidoc"),
        ("a.py", "code"),
        ("a.txt", "plain text"),
        ("a", "plain text"),
    ],
)
def test_each_text_format_goes_to_its_parser(key: str, media_type: str) -> None:
    document = parse(b"Some words.\r\n", key, LIMITS)
    assert (document.media_type, document.text, document.source_lines) == (media_type, "Some words.\n", True)


def test_html_goes_to_its_parser_whatever_the_name() -> None:
    assert parse(b"<!doctype html><title>T</title><p>Words.</p>", "a.pdf", LIMITS).media_type == "html"


def test_what_decoding_lost_is_among_the_warnings() -> None:
    assert parse("Price: 5 €\n".encode() + b"\xa9 Acme\n", "a.md", LIMITS).warnings != ()


def test_a_mark_and_carriage_returns_do_not_hide_the_front_matter() -> None:
    document = parse(b"\xef\xbb\xbf---\r\ntitle: Quorum guide\r\n---\r\n# Start\r\n", "a.md", LIMITS)
    assert (document.title, document.first_line) == ("Quorum guide", 4)
    assert document.blocks[0].headings == ("Start",)


def test_limits_name_their_setting() -> None:
    with pytest.raises(DocumentTooLargeError, match="DOCSHELF_MAX_BYTES"):
        parse(b"x" * 11, "a.md", replace(LIMITS, max_bytes=10))
    with pytest.raises(DocumentTooLargeError, match="DOCSHELF_MAX_CHARACTERS"):
        parse(b"x" * 11, "a.md", replace(LIMITS, max_characters=10))


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", b"\xef\xbb\xbf", "\u200b\n".encode()])
def test_a_file_without_text_is_empty(data: bytes) -> None:
    with pytest.raises(EmptyDocumentError):
        parse(data, "a.md", LIMITS)


def test_binary_data_is_unsupported() -> None:
    with pytest.raises(UnsupportedDocumentError, match="binary data"):
        parse(bytes(range(256)) * 40, "a.txt", LIMITS)


def test_a_file_of_too_many_lines_is_read_as_plain_text_with_a_warning() -> None:
    document = parse(b"# x\n" * 200_002, "a.md", LIMITS)
    assert document.media_type == "plain text"
    assert "plain text" in document.warnings[0]


def test_a_parser_that_loses_text_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def losing(text: str, key: str) -> Document:
        return Document(key, text, (Block(Kind.PARAGRAPH, 0, len(text) - 1),), "plain text")

    monkeypatch.setattr(docshelf.documents, "parse_plain", losing)
    with pytest.raises(ParseFailedError, match="lost its place"):
        parse(b"Some words.", "a.txt", LIMITS)


def test_reading_text_loads_no_library_of_another_format() -> None:
    program = (
        "import sys; from docshelf.documents import parse; from docshelf.settings import Limits; "
        "parse(b'# A', 'a.md', Limits()); "
        "print([name for name in ('pypdf', 'pypdfium2', 'mammoth', 'selectolax', 'xlrd') if name in sys.modules])"
    )
    layers = Path(docshelf.documents.__file__).parents[2]
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(layers)}
    )
    assert result.stdout.strip() == "[]"


KEYS = st.sampled_from(["a.md", "a.mdx", "a.rst", "a.adoc", "a.txt", "a.py", "a"])


@settings(deadline=None)
@given(st.text(), KEYS)
def test_any_text_is_tiled_and_its_lines_are_those_of_the_file(text: str, key: str) -> None:
    data = text.encode("utf-8", errors="replace")
    try:
        document = parse(data, key, LIMITS)
    except DocumentError:
        return
    assert tiles(document.blocks, len(document.text))
    if not document.warnings:
        lines = text.encode("utf-8", errors="replace").decode().removeprefix("\ufeff")
        lines = lines.replace("\r\n", "\n").replace("\r", "\n")
        assert lines.split("\n")[document.first_line - 1 :] == document.text.split("\n")


@settings(deadline=None)
@given(st.binary(max_size=400), KEYS)
def test_any_bytes_end_in_a_document_or_a_document_error(data: bytes, key: str) -> None:
    try:
        document = parse(data, key, LIMITS)
    except DocumentError:
        return
    assert document.text.strip()
