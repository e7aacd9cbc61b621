"""Reading DOCX: tables, text boxes, content controls, footnotes, titles, and packages that are meant to do harm."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx as python_docx
import pytest

from docshelf.documents.model import Document, Kind
from docshelf.documents.office.docx import parse_docx
from docshelf.documents.tiling import tiles
from docshelf.errors import (
    DocumentTooLargeError,
    EmptyDocumentError,
    EncryptedDocumentError,
    ParseFailedError,
)
from docshelf.settings import Limits

SHARED = Path(__file__).parents[3] / "../shared/corpus"
NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)


def read(data: bytes, key: str = "notes.docx", limits: Limits | None = None) -> Document:
    document = parse_docx(data, key, limits or Limits())
    assert tiles(document.blocks, len(document.text))
    return document


def made(fill: Callable[..., object]) -> bytes:
    document = python_docx.Document()
    fill(document)
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def package(parts: dict[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", compression) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return written.getvalue()


def with_body(body: str) -> bytes:
    return package({"word/document.xml": f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>"})


def paragraph(content: str) -> str:
    return f"<w:p>{content}</w:p>"


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def box(text: str) -> str:
    return f"<wps:txbx><w:txbxContent>{paragraph(run(text))}</w:txbxContent></wps:txbx>"


def test_headings_lists_and_paragraphs_are_read_in_order() -> None:
    def fill(document: python_docx.document.Document) -> None:
        document.add_heading("Handbook", 0)
        document.add_paragraph("Intro.")
        document.add_heading("Access", 1)
        document.add_heading("Keys", 2)
        document.add_paragraph("First", style="List Bullet")
        document.add_paragraph("Second", style="List Bullet")

    document = read(made(fill))
    assert document.text == "# Handbook\n\nIntro.\n\n# Access\n\n## Keys\n\n- First\n- Second\n"
    assert document.title == "Handbook"
    assert document.media_type == "docx"
    assert document.blocks[-1].headings == ("Access", "Keys")
    assert not document.source_lines


def test_a_table_keeps_its_rows_and_its_first_row_as_header() -> None:
    def fill(document: python_docx.document.Document) -> None:
        table = document.add_table(rows=0, cols=2)
        for row in (("Loan", "Rate"), ("North bank", "4.1 %"), ("South bank", "3.9 %")):
            for cell, text in zip(table.add_row().cells, row, strict=True):
                cell.text = text

    (table,) = read(made(fill)).blocks
    assert table.kind is Kind.TABLE
    assert table.opening == "| Loan | Rate |\n"
    assert len(table.children) == 3


@pytest.mark.parametrize(
    ("look", "header"),
    [
        ('<w:tblLook w:val="04A0"/>', True),
        ('<w:tblLook w:val="0400"/>', False),
        ('<w:tblLook w:firstRow="0" w:val="04A0"/>', False),
        ('<w:tblLook w:val="zz"/>', False),
        ("", False),
    ],
)
def test_the_look_of_a_table_says_whether_its_first_row_is_a_header(look: str, header: bool) -> None:
    cells = "".join(f"<w:tc>{paragraph(run(text))}</w:tc>" for text in "ab")
    row = f"<w:tr><w:trPr/>{cells}</w:tr>"
    (table,) = read(with_body(f"<w:tbl><w:tblPr>{look}</w:tblPr>{row}{row}</w:tbl>")).blocks
    assert bool(table.opening) is header


def test_the_title_is_the_propertys_then_the_first_headings_then_the_files() -> None:
    def titled(title: str, heading: str) -> bytes:
        def fill(document: python_docx.document.Document) -> None:
            document.core_properties.title = title
            document.core_properties.comments = "About  this"
            document.add_paragraph("Text")
            if heading:
                document.add_heading(heading, 1)

        return made(fill)

    assert read(titled("Annual plan", "Part")).title == "Annual plan"
    assert read(titled("Word Document", "Part")).title == "Part"
    assert read(titled("draft.docx", "")).title == "notes"
    assert read(titled("", "")).description == "About this"


def test_damaged_properties_are_passed_over() -> None:
    parts: dict[str, str | bytes] = {
        "word/document.xml": f"<w:document {NAMESPACES}><w:body>{paragraph(run('x'))}</w:body></w:document>",
        "docProps/core.xml": "<broken",
    }
    assert read(package(parts)).title == "notes"


def test_the_description_that_the_library_fills_in_is_no_description() -> None:
    assert read(made(lambda document: document.add_paragraph("x"))).description == ""


@pytest.mark.parametrize(
    "content",
    [
        (
            f"<w:r><w:pict><v:shape><v:textbox><w:txbxContent>{paragraph(run('Call 0900'))}</w:txbxContent>"
            "</v:textbox></v:shape></w:pict></w:r>"
        ),
        f"<w:r><w:drawing><wps:wsp>{box('Call 0900')}</wps:wsp></w:drawing></w:r>",
        (
            f"<w:r><mc:AlternateContent><mc:Choice><w:drawing>{box('Call 0900')}</w:drawing></mc:Choice>"
            "</mc:AlternateContent></w:r>"
        ),
        (
            f"<w:r><mc:AlternateContent><mc:Choice><w:drawing>{box('Call 0900')}</w:drawing></mc:Choice>"
            "<mc:Fallback><w:pict/></mc:Fallback></mc:AlternateContent></w:r>"
        ),
        (
            f"<w:r><mc:AlternateContent><mc:Choice><w:drawing>{box('Call 0900')}</w:drawing></mc:Choice><mc:Fallback>"
            f"<w:pict><v:textbox><w:txbxContent>{paragraph(run('Call 0900'))}</w:txbxContent></v:textbox></w:pict>"
            "</mc:Fallback></mc:AlternateContent></w:r>"
        ),
    ],
)
def test_a_text_box_is_read_once_after_its_paragraph(content: str) -> None:
    assert read(with_body(paragraph(run("Body.") + content))).text == "Body.\n\nCall 0900\n"


@pytest.mark.parametrize(
    "content",
    [
        f"<w:sdt><w:sdtContent>{run('Owner: ')}<w:smartTag>{run('Platform')}</w:smartTag></w:sdtContent></w:sdt>",
        f'{run("Owner: ")}<w:fldSimple w:instr="AUTHOR">{run("Platform")}</w:fldSimple>',
        f"{run('Owner: ')}<w:bdo>{run('Platform')}</w:bdo>",
        f"{run('Owner: ')}<m:oMath><m:r><m:t>Plat</m:t></m:r><m:r><m:t>form</m:t></m:r></m:oMath>",
        f"{run('Owner: ')}<w:r><w:ruby><w:rt/><w:rubyBase>{run('Platform')}</w:rubyBase></w:ruby></w:r>",
        f"{run('Owner: ')}<w:ins>{run('Platform')}</w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>",
        f"{run('Owner: ')}<mc:AlternateContent><mc:Choice>{run('Platform')}</mc:Choice></mc:AlternateContent>",
    ],
)
def test_what_wraps_text_does_not_hide_it(content: str) -> None:
    assert read(with_body(paragraph(content))).text == "Owner: Platform\n"


def test_an_alternative_or_ruby_without_content_leaves_the_rest() -> None:
    content = paragraph(run("Rest") + "<mc:AlternateContent/><w:r><w:ruby/></w:r>")
    assert read(with_body(content)).text == "Rest\n"


def test_footnotes_are_kept_and_their_back_links_dropped() -> None:
    note = (
        f'<w:footnotes {NAMESPACES}><w:footnote w:id="1">{paragraph(run("Source: ledger."))}</w:footnote></w:footnotes>'
    )
    body = paragraph(run("Revenue rose") + '<w:r><w:footnoteReference w:id="1"/></w:r>' + run("."))
    parts: dict[str, str | bytes] = {
        "word/document.xml": f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>",
        "word/footnotes.xml": note,
    }
    assert read(package(parts)).text == "Revenue rose[1].\n\n1. Source: ledger.\n"


def test_pictures_are_passed_over() -> None:
    pixel = io.BytesIO(
        bytes.fromhex(
            "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
            "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
        )
    )

    def fill(document: python_docx.document.Document) -> None:
        document.add_picture(pixel)
        document.add_paragraph("Caption")

    assert read(made(fill)).text == "Caption\n"


def test_a_document_without_text_is_empty() -> None:
    with pytest.raises(EmptyDocumentError):
        read(made(lambda _: None))


def test_an_unpacked_size_beyond_the_limit_is_refused_before_reading() -> None:
    data = package({"word/document.xml": b" " * 200_000})
    with pytest.raises(DocumentTooLargeError, match="DOCSHELF_MAX_BYTES"):
        read(data, limits=Limits(max_bytes=100_000))


def test_a_package_packed_beyond_reason_is_refused() -> None:
    with pytest.raises(DocumentTooLargeError, match="densely"):
        read(package({"word/document.xml": b" " * 20_000_000}))


def test_a_size_that_the_package_lies_about_is_not_exceeded() -> None:
    data = bytearray(package({"word/document.xml": b"<a>" + b" " * 100_000 + b"</a>"}))
    for signature, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        position = data.index(signature) + offset
        data[position : position + 4] = (10).to_bytes(4, "little")
    with pytest.raises(ParseFailedError):
        read(bytes(data))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_declared_entities_are_refused(encoding: str) -> None:
    body = f"<w:document {NAMESPACES}><w:body>{paragraph(run('&b;'))}</w:body></w:document>"
    bomb = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE d [<!ENTITY a "xx"><!ENTITY b "&a;&a;">]>{body}'
    with pytest.raises(ParseFailedError, match="entities"):
        read(package({"word/document.xml": bomb.encode(encoding)}))


def test_an_encoding_that_does_not_exist_is_damage() -> None:
    body = f'<?xml version="1.0" encoding="UTF-8-8"?><w:document {NAMESPACES}><w:body/></w:document>'
    with pytest.raises(ParseFailedError, match="damaged"):
        read(package({"word/document.xml": body}))


def test_an_encrypted_part_is_reported_as_such() -> None:
    data = bytearray(with_body(paragraph(run("x"))))
    for signature, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        data[data.index(signature) + offset] |= 1
    with pytest.raises(EncryptedDocumentError):
        read(bytes(data))


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04 not a package",
        with_body(paragraph(run("x" * 500)))[:200],
        package({"word/document.xml": "<w:document"}),
        package({"word/document.xml": f"<w:document {NAMESPACES}><w:tblLook/"}),
        package({"other.xml": "<a/>"}),
        with_body("<w:p>" * 3_000 + "</w:p>" * 3_000),
        with_body("<w:bdo/>" + "<w:p>" * 3_000 + "</w:p>" * 3_000),
    ],
)
def test_a_damaged_or_absurd_package_fails_with_a_sentence(data: bytes) -> None:
    with pytest.raises(ParseFailedError):
        read(data)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared corpus is not beside the repository")
def test_the_bug_documents_and_real_documents_are_read() -> None:
    files = sorted(SHARED.glob("bugs/*.docx")) + sorted(SHARED.glob("files/docx/*.docx"))
    texts: dict[str, str] = {}
    for file in files:
        try:
            texts[file.name] = read(file.read_bytes(), file.name).text
        except EmptyDocumentError:
            texts[file.name] = ""
    assert "Call the bridge at 0900" in texts["33-docx-text-box.docx"]
    assert "Owner: Platform team" in texts["35-docx-sdt-smarttag.docx"]
    assert [name for name, text in texts.items() if not text] == [
        "mammoth-empty.docx",
        "pythondocx-doc-no-coreprops.docx",
    ]
    assert "A tachyon walks into a bar." in texts["mammoth-footnotes.docx"]
