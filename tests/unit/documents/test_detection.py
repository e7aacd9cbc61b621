"""What a file is: content first, name second."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sqlite3
import tarfile
import zipfile
from pathlib import Path

import pytest

from docshelf.documents.detection import detect
from docshelf.documents.media_types import MediaType
from docshelf.errors import EmptyDocumentError, EncryptedDocumentError, UnsupportedDocumentError

PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\nstartxref\n9\n%%EOF\n"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504


def archive(*names: str, mimetype: str = "") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        if mimetype:
            file.writestr("mimetype", mimetype)
        for name in names:
            file.writestr(name, "x")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("key", "media_type"),
    [
        ("a.md", MediaType.MARKDOWN),
        ("UPPER.MD", MediaType.MARKDOWN),
        ("a.mdx", MediaType.MARKDOWN),
        ("a.markdown", MediaType.MARKDOWN),
        ("a.rst", MediaType.RESTRUCTUREDTEXT),
        ("a.adoc", MediaType.ASCIIDOC),
        ("a.asciidoc", MediaType.ASCIIDOC),
        ("a.html", MediaType.HTML),
        ("a.HTM", MediaType.HTML),
        ("a.xhtml", MediaType.HTML),
        ("a.txt", MediaType.PLAIN),
        ("src/main.py", MediaType.CODE),
        ("values.yaml", MediaType.CODE),
        ("Dockerfile", MediaType.CODE),
        ("deploy/Dockerfile.prod", MediaType.CODE),
        ("Makefile", MediaType.CODE),
        ("requirements.txt", MediaType.CODE),
        ("noextension", MediaType.PLAIN),
        ("trailing.dot.", MediaType.PLAIN),
        ("strange.zzz", MediaType.PLAIN),
    ],
)
def test_the_name_decides_where_the_content_is_just_text(key: str, media_type: MediaType) -> None:
    assert detect(b"Some words.\n", key) is media_type


@pytest.mark.parametrize("key", ["a.pdf", "a.txt", "noextension"])
@pytest.mark.parametrize(
    "data",
    [
        b"<!DOCTYPE html><html><p>x</p></html>",
        b"\xef\xbb\xbf \n<!-- note -->\n<HTML lang=en>x",
        b"<?xml version='1.0'?>\n<!doctype HTML>x",
        "<html>x</html>".encode("utf-16"),
        b"\xff\xfe\0\0" + "<html>x</html>".encode("utf-32-le"),
    ],
)
def test_html_is_html_under_any_name(data: bytes, key: str) -> None:
    assert detect(data, key) is MediaType.HTML


@pytest.mark.parametrize(
    "data", [b"<!-- note -->\n# Title\n", b"<img src=x>\n\ntext", b"<p align=center>x</p>\n\ntext"]
)
def test_markdown_that_begins_with_a_tag_stays_markdown(data: bytes) -> None:
    assert detect(data, "README.md") is MediaType.MARKDOWN


@pytest.mark.parametrize("key", ["all.zip", "all.tar", "all", "all.pdf"])
def test_an_archive_that_begins_with_a_pdf_is_an_archive(key: str) -> None:
    stored, taped = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(stored, "w") as packed:
        packed.writestr("a.pdf", PDF)
    with tarfile.open(fileobj=taped, mode="w", bufsize=tarfile.BLOCKSIZE) as tape:
        entry = tarfile.TarInfo("a.pdf")
        entry.size = len(PDF)
        tape.addfile(entry, io.BytesIO(PDF))
    assert detect(stored.getvalue(), key) is MediaType.ZIP
    assert detect(taped.getvalue(), key) is MediaType.TAR


@pytest.mark.parametrize("data", [PDF, b"junk line\n" * 50 + PDF])
@pytest.mark.parametrize("key", ["a.pdf", "a", "a.txt"])
def test_a_pdf_is_a_pdf_under_any_name_and_behind_junk(data: bytes, key: str) -> None:
    assert detect(data, key) is MediaType.PDF


def test_a_text_that_speaks_of_the_pdf_header_is_text() -> None:
    assert detect(b"# Header\n\nA file starts with `%PDF-1.7`.\n", "notes.md") is MediaType.MARKDOWN


def test_text_with_titles_and_directives_is_restructuredtext_whatever_its_extension() -> None:
    source = b"Settings\n========\n\n.. note::\n\n   Read :ref:`this`.\n"
    assert detect(source, "settings.txt") is MediaType.RESTRUCTUREDTEXT
    assert detect(source, "settings.md") is MediaType.MARKDOWN
    assert detect(b"Settings\n========\n\nPlain words.\n", "settings.txt") is MediaType.PLAIN


def test_a_docx_is_told_by_its_parts() -> None:
    assert detect(archive("[Content_Types].xml", "word/document.xml"), "renamed.zip") is MediaType.DOCX
    assert detect(archive("word/document2.xml"), "a") is MediaType.DOCX


def test_a_damaged_docx_is_left_to_its_parser() -> None:
    assert detect(archive("word/document.xml")[:60], "a.docx") is MediaType.DOCX


def tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as file:
        file.addfile(tarfile.TarInfo("a.txt"))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "a JPEG image"),
        (b"GIF89a\1\0\1\0", "a GIF image"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "a WebP image"),
        (b"RIFF\x10\0\0\0XXXX", "a RIFF media file"),
        (b"\0\0\0\x18ftypheic\0\0", "a HEIF image"),
        (b"\0\0\0\x18ftypisom\0\0", "an MP4 video"),
        (b"BM\x10\0\0\0\0\0\0\0", "a BMP image"),
        (gzip.compress(b"x"), "a gzip archive; unpack it and upload its files"),
        (b"7z\xbc\xaf\x27\x1c\0\4", "a 7-Zip archive; unpack it and upload its files"),
        (b"Rar!\x1a\x07\1\0", "a RAR archive; unpack it and upload its files"),
        (archive("META-INF/MANIFEST.MF"), "a Java archive"),
        (b"\x7fELF\2\1\1\0", "a program"),
        (archive(mimetype="application/vnd.oasis.opendocument.graphics"), "an OpenDocument drawing"),
        (archive(mimetype="application/vnd.oasis.opendocument.thing"), "an OpenDocument file"),
        (OLE + "WordDocument".encode("utf-16-le"), "a Word 97-2003 document"),
        (OLE + "PowerPoint Document".encode("utf-16-le"), "a PowerPoint 97-2003 presentation"),
        (OLE, "an old Microsoft Office file"),
        (b"%!PS-Adobe-3.0\n", "a PostScript document"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer"),
        (b"<svg xmlns='x'><text>y</text></svg>", "an SVG image"),
        (bytes(range(256)) * 40, "binary data"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # archives differ by the time they are made
)
def test_what_is_not_read_is_named_together_with_what_is(data: bytes, kind: str) -> None:
    with pytest.raises(UnsupportedDocumentError) as caught:
        detect(data, "document.md")
    assert kind in caught.value.sentence
    assert "docshelf reads Markdown, HTML, PDF, DOCX" in caught.value.sentence


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (archive("a.txt"), MediaType.ZIP),
        (archive("a.txt")[:-10], MediaType.ZIP),
        (archive("xl/notes.txt", "ppt/notes.txt"), MediaType.ZIP),
        (archive(), MediaType.ZIP),
        (tar(), MediaType.TAR),
        *((pack(tar()), MediaType.TAR) for pack in (gzip.compress, bz2.compress, lzma.compress)),
        (archive("xl/workbook.xml"), MediaType.XLSX),
        (archive("xl/workbook.bin"), MediaType.XLSB),
        (archive("ppt/presentation.xml"), MediaType.PPTX),
        (archive(mimetype="application/epub+zip"), MediaType.EPUB),
        (archive("META-INF/container.xml"), MediaType.EPUB),
        (archive(mimetype="application/vnd.oasis.opendocument.text"), MediaType.ODT),
        (archive(mimetype="application/vnd.oasis.opendocument.text-template"), MediaType.ODT),
        (archive(mimetype="application/vnd.oasis.opendocument.spreadsheet"), MediaType.ODS),
        (archive(mimetype="application/vnd.oasis.opendocument.presentation"), MediaType.ODP),
        (archive("xl/workbook.xml")[:-9], MediaType.XLSX),
        (archive("ppt/slides/slide1.xml")[:-9], MediaType.PPTX),
        (archive(mimetype="application/epub+zip")[:-9], MediaType.EPUB),
        (OLE + "Workbook".encode("utf-16-le"), MediaType.XLS),
        (OLE + "Book".encode("utf-16-le"), MediaType.XLS),
        (b"{\\rtf1\\ansi text}", MediaType.RTF),
        (b"\n{\\rtf1\\ansi text}", MediaType.RTF),
        (b'<office:document office:mimetype="application/vnd.oasis.opendocument.text">', MediaType.ODT),
        (b' {"cells": [], "nbformat": 4}', MediaType.NOTEBOOK),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # archives differ by the time they are made
)  # fmt: skip
def test_what_is_read_is_told_by_its_content_whatever_its_name(data: bytes, media_type: MediaType) -> None:
    assert detect(data, "document") is media_type


@pytest.mark.parametrize(
    ("key", "media_type"),
    [
        ("a.csv", MediaType.CSV),
        ("a.TSV", MediaType.CSV),
        ("a.json", MediaType.CODE),
        ("plot.ipynb", MediaType.NOTEBOOK),
    ],
)
def test_tables_and_notebooks_of_text_are_told_by_their_name(key: str, media_type: MediaType) -> None:
    assert detect(b'{"a": 1}', key) is media_type


def test_a_database_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "data.txt"
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (x)")
    connection.close()
    with pytest.raises(UnsupportedDocumentError, match="an SQLite database"):
        detect(path.read_bytes(), path.name)


@pytest.mark.parametrize("text", [b"BMW makes cars.", b"MZ is a name.", b"ID3 tags explained", b"PAR1 of the road"])
def test_prose_that_begins_like_a_signature_is_text(text: bytes) -> None:
    assert detect(text, "a.txt") is MediaType.PLAIN


def test_an_encrypted_office_document_asks_for_its_password_to_be_removed() -> None:
    with pytest.raises(EncryptedDocumentError, match="needs a password"):
        detect(OLE + "EncryptedPackage".encode("utf-16-le"), "secret.docx")


def test_a_file_of_zero_bytes_is_empty() -> None:
    with pytest.raises(EmptyDocumentError, match="0 bytes"):
        detect(b"", "a.md")
