"""ODT, packed and flat: headings, lists, tables, notes, what is left out, what is refused."""

from __future__ import annotations

import pytest

from docshelf.documents import Document, Kind, parse
from docshelf.errors import DocumentTooLargeError, EmptyDocumentError, EncryptedDocumentError, ParseFailedError
from docshelf.settings import Limits
from tests.support.office_files import flat_open_document, open_document_parts, package


def read(body: str, *, styles: str = "", title: str = "", limits: Limits | None = None) -> Document:
    data = package(open_document_parts("text", body, styles=styles, title=title))
    return parse(data, "guide.odt", limits or Limits())


def paragraph(text: str) -> str:
    return f"<text:p>{text}</text:p>"


def row(*cells: str, more: str = "") -> str:
    written = "".join(f"<table:table-cell {more}>{paragraph(cell)}</table:table-cell>" for cell in cells)
    return f"<table:table-row>{written}</table:table-row>"


def test_headings_and_paragraphs_are_read_in_order() -> None:
    names = ("Part", "Chapter")
    part, chapter = (f'<text:h text:outline-level="{level}">{name}</text:h>' for level, name in enumerate(names, 1))
    body = f"{part}<text:section>{chapter}</text:section>"
    document = read(body + paragraph("Words."), title="The guide")
    assert document.text == "# Part\n\n## Chapter\n\nWords.\n"
    assert (document.title, document.media_type) == ("The guide", "odt")
    assert document.blocks[-1].headings == ("Part", "Chapter")


def test_a_flat_file_is_read_as_a_packed_one() -> None:
    document = parse(flat_open_document("text", paragraph("Words.")), "guide.fodt", Limits())
    assert (document.text, document.media_type) == ("Words.\n", "odt")


def test_a_style_made_from_the_title_is_a_heading() -> None:
    style = '<style:style style:name="P1" style:parent-style-name="Title"/>'
    assert read('<text:p text:style-name="P1">Guide</text:p>', styles=style).text == "# Guide\n"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ('a<text:s text:c="3"/>b<text:tab/>c', "a b c"),
        ("one<text:line-break/>two", "one\ntwo"),
        ("<text:span>a<text:span>b</text:span></text:span>c", "abc"),
        ("<text:a>link</text:a> <text:bookmark-ref>there</text:bookmark-ref>", "link there"),
        ("<text:ruby><text:ruby-base>base</text:ruby-base><text:ruby-text>aid</text:ruby-text></text:ruby>", "base"),
        ("a<office:annotation><text:p>comment</text:p></office:annotation>b", "ab"),
        ('<text:s text:c="99999999999"/>x', "x"),
    ],
)
def test_what_stands_within_a_paragraph_is_read_as_it_shows(markup: str, text: str) -> None:
    assert read(paragraph(markup)).text == f"{text}\n"


def test_lists_keep_their_numbers_and_depth() -> None:
    numbered = '<text:list-style style:name="L1"><text:list-level-style-number text:level="1"/></text:list-style>'
    inner = f"<text:list><text:list-item>{paragraph('Inner')}</text:list-item></text:list>"
    items = (
        f"<text:list-item>{paragraph('One')}{inner}</text:list-item><text:list-item>{paragraph('Two')}</text:list-item>"
    )
    document = read(
        f'<text:list text:style-name="L1">{items}</text:list><text:list>{items}</text:list>', styles=numbered
    )
    assert document.text == "1. One\n  1. Inner\n2. Two\n\n- One\n  - Inner\n- Two\n"
    assert document.blocks[0].kind is Kind.LIST


def test_a_table_repeats_its_header_rows_and_what_spans_rows() -> None:
    header = f"<table:table-header-rows>{row('Bank', 'Town')}</table:table-header-rows>"
    spanning = row("North", more='table:number-rows-spanned="2"').replace(
        "</table:table-row>", "<table:table-cell/></table:table-row>"
    )
    covered = row("Husum").replace("<table:table-row>", "<table:table-row><table:covered-table-cell/>")
    document = read(f"<table:table>{header}{spanning}{covered}</table:table>")
    assert document.text == "| Bank | Town |\n| North |\n| North | Husum |\n"
    assert document.blocks[0].opening == "| Bank | Town |\n"


def test_notes_follow_at_the_end_and_text_boxes_their_paragraph() -> None:
    body = f"<text:note-body>{paragraph('A note.')}</text:note-body>"
    note = f"<text:note><text:note-citation>9</text:note-citation>{body}</text:note>"
    box = f"<draw:frame><draw:text-box>{paragraph('In a box')}</draw:text-box></draw:frame>"
    assert read(paragraph(f"Words{note}{box}.")).text == "Words[1].\n\nIn a box\n\n1. A note.\n"


def test_any_number_of_text_boxes_may_stand_in_one_paragraph() -> None:
    box = f"<draw:text-box>{paragraph('Box')}</draw:text-box>"
    assert read(paragraph(box * 3_000)).text.count("Box") == 3_000


def test_deleted_text_and_tables_of_contents_are_left_out() -> None:
    gone = f"<text:tracked-changes>{paragraph('deleted')}</text:tracked-changes>"
    contents = (
        f"<text:table-of-content><text:index-body>{paragraph('Part 1')}</text:index-body></text:table-of-content>"
    )
    assert read(gone + contents + paragraph("Words.")).text == "Words.\n"


def test_an_encrypted_document_is_told_by_its_manifest() -> None:
    parts = open_document_parts("text", paragraph("x"))
    parts["META-INF/manifest.xml"] = (
        '<m:manifest xmlns:m="m"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>'
    )
    parts["content.xml"] = b"\x80\x81\x82"
    with pytest.raises(EncryptedDocumentError, match="password"):
        parse(package(parts), "secret.odt", Limits())


def test_limits_hold() -> None:
    with pytest.raises(ParseFailedError, match="deeply"):
        read("<text:section>" * 5_000 + paragraph("x") + "</text:section>" * 5_000)
    with pytest.raises(DocumentTooLargeError, match="DOCSHELF_MAX_CHARACTERS"):
        read(paragraph("word " * 99), limits=Limits(max_characters=100))
    with pytest.raises(EmptyDocumentError):
        read("")
    parts = open_document_parts("text", paragraph("x"))
    parts["content.xml"] = f'<!DOCTYPE d [<!ENTITY a "b">]>{parts["content.xml"]!s}'
    with pytest.raises(ParseFailedError, match="entities"):
        parse(package(parts), "a.odt", Limits())
