"""RTF: code pages, Unicode escapes, headings, lists, tables, notes, and what is left out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.documents import Document, Kind, parse
from docshelf.documents.tiling import tiles
from docshelf.errors import DocumentError, DocumentTooLargeError, EmptyDocumentError, ParseFailedError
from docshelf.settings import Limits

FONTS = rb"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset128 MS Mincho;}{\f3\cpg1253 Greek;}}"
STYLES = rb"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 \'dcberschrift;}{\s2 heading 2;}{\s3 Title;}}"


def read(body: bytes, head: bytes = rb"\ansi\ansicpg1252", limits: Limits | None = None) -> Document:
    return parse(rb"{\rtf1" + head + FONTS + STYLES + body + b"}", "guide.rtf", limits or Limits())


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb"Caf\'e9 \'80", "Café €"),
        (rb"{\f1 \'cf\'f0\'e8}", "При"),
        (rb"{\f2 \'8b\'e6\'93s}", "区都"),
        (rb"{\f3 \'c1}", "Α"),
        (rb"\u8364?5", "€5"),
        (rb"\uc2\u8364\'a4\'a65", "€5"),
        (rb"\uc0\u8364 5", "€5"),
        (rb"\u-10179?\u-8704?", "😀"),
        (rb"\u-10179?x", "\ufffdx"),
        (rb"a\{b\}\\c\~d\_e\-f", "a{b}\\c d-ef"),
        (rb"a\emdash b\ldblquote c\rdblquote", "a—b“c”"),
        (rb"one\line two", "one\ntwo"),
        (rb"\upr{Cafe}{\*\ud{Caf\u233?}}", "Café"),
        (rb"Seen{\v hidden}{\deleted gone}.", "Seen."),
    ],
)
def test_characters_are_those_of_the_code_page_or_the_escape(body: bytes, text: str) -> None:
    assert read(body).text == f"{text}\n"


def test_the_documents_own_code_page_is_followed() -> None:
    assert read(rb"\'cf\'f0\'e8", rb"\ansi\ansicpg1251").text == "При\n"
    assert read(rb"\'8e", rb"\mac").text == "é\n"


def test_headings_are_told_by_their_level_or_the_name_of_their_style() -> None:
    body = rb"\pard\s3 Guide\par\pard\s1 Part\par\pard Words.\par\pard\s2 Chapter\par\pard\outlinelevel2 Section\par"
    document = read(body)
    assert document.text == "# Guide\n\n# Part\n\nWords.\n\n## Chapter\n\n### Section\n"
    assert (document.blocks[-1].headings, document.title) == (("Part", "Chapter", "Section"), "Guide")


def test_the_stated_title_comes_first_and_nothing_else_of_the_properties_is_text() -> None:
    document = read(rb"{\info{\title The guide}{\author Ada}{\doccomm About it}}Words.")
    assert (document.title, document.description, document.text) == ("The guide", "About it", "Words.\n")


def test_list_items_keep_their_numbers_and_depth() -> None:
    body = (
        rb"{\listtext\pard 1.\tab}\pard\ls1 First\par{\listtext\u61623?\tab}\pard\ls1\ilvl1 Inner\par"
        rb"{\pntext 2)\tab}\pard Second\par\pard After\par"
    )
    document = read(body)
    assert document.text == "1. First\n  - Inner\n2) Second\n\nAfter\n"
    assert document.blocks[0].kind is Kind.LIST


def test_a_table_is_rows_and_a_marked_header_is_repeated() -> None:
    body = (
        rb"\trowd\trhdr\pard\intbl Bank\cell Rate\cell\row\trowd\pard\intbl North\par shore\cell 4.1 %\cell\row"
        rb"\trowd\pard\intbl South\cell 3.9 %\cell\row\pard Below\par"
    )
    document = read(body)
    assert document.text == "| Bank | Rate |\n| North shore | 4.1 % |\n| South | 3.9 % |\n\nBelow\n"
    assert document.blocks[0].opening == "| Bank | Rate |\n"


def test_notes_text_boxes_and_the_results_of_fields_are_kept() -> None:
    body = (
        rb'See {\field{\*\fldinst HYPERLINK "x"}{\fldrslt here}}{\footnote \pard A note.\par}'
        rb"{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt In a box\par}}{\shprslt twice}}.\par"
    )
    assert read(body).text == "In a box\n\nSee here[1].\n\n1. A note.\n"


@pytest.mark.parametrize(
    "group",
    [rb"{\pict\pngblip 89504e47}", rb"{\*\unknown x}", rb"{\header x}", rb"{\annotation x}", rb"{\pict\bin3 }}}}"],
)
def test_pictures_headers_comments_and_unknown_parts_are_left_out(group: bytes) -> None:
    assert read(b"Before" + group + b" after").text == "Before after\n"


def test_a_file_that_ends_early_is_read_with_a_warning() -> None:
    document = parse(rb"{\rtf1 Words {\b bold", "a.rtf", Limits())
    assert (document.text, len(document.warnings)) == ("Words bold\n", 1)


def test_limits_hold() -> None:
    with pytest.raises(ParseFailedError, match="deeply"):
        read(b"{" * 3_000)
    with pytest.raises(DocumentTooLargeError):
        read(b"word " * 100, limits=Limits(max_characters=100))
    with pytest.raises(EmptyDocumentError):
        read(b"")


WORDS = [
    rb"\par",
    rb"\cell",
    rb"\row",
    rb"\u55357?",
    rb"\'e9",
    b"{",
    b"}",
    rb"{\footnote",
    rb"{\shptxt",
    rb"{\listtext",
]
WORDS += [
    rb"\trowd\trhdr",
    rb"\intbl",
    rb"\s1",
    rb"{\*\x",
    rb"\bin9 ",
    rb"\uc9",
    rb"{\fonttbl",
    rb"{\info{\title",
    b"word ",
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS) | st.binary(max_size=5), max_size=60))
def test_any_groups_and_words_end_in_a_document_or_a_document_error(parts: list[bytes]) -> None:
    try:
        document = parse(rb"{\rtf1 " + b"".join(parts), "a.rtf", Limits())
    except DocumentError:
        return
    assert tiles(document.blocks, len(document.text))
    document.text.encode()
