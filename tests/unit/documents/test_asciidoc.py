"""AsciiDoc: titles, delimited blocks, lists, tables."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.documents.markup.asciidoc import parse_asciidoc
from docshelf.documents.model import Block, Document, Kind
from docshelf.documents.tiling import tiles


def parsed(text: str) -> Document:
    document = parse_asciidoc(text, "docs/guide.adoc")
    assert tiles(document.blocks, len(document.text))
    return document


def pieces(document: Document, blocks: tuple[Block, ...] | None = None) -> list[tuple[Kind, str]]:
    chosen = document.blocks if blocks is None else blocks
    return [(block.kind, document.text[block.start : block.end]) for block in chosen]


def headings(text: str) -> list[tuple[str, ...]]:
    return [block.headings for block in parsed(text).blocks if block.kind is Kind.HEADING]


def test_titles_make_the_path_and_own_their_anchors() -> None:
    text = (
        "= Guide\nAuthor\n:description: All of it.\n\nIntro.\n\n[[a]]\n== Part *one*\n\nx\n\n=== Deep ===\n\n== Two\n"
    )
    document = parsed(text)
    assert headings(text) == [
        ("Guide",),
        ("Guide", "Part one"),
        ("Guide", "Part one", "Deep"),
        ("Guide", "Two"),
    ]
    assert (document.title, document.description) == ("Guide", "All of it.")
    assert (Kind.HEADING, "[[a]]\n== Part *one*\n\n") in pieces(document)


def test_a_title_may_be_underlined() -> None:
    assert headings("Guide\n=====\n\nPart\n----\n\nx\n") == [("Guide",), ("Guide", "Part")]
    assert headings("A sentence ends here.\n----\ncode\n----\n") == []


def test_the_title_falls_back_to_the_file_name() -> None:
    assert parsed("Only text.\n").title == "guide"


def test_front_matter_is_left_out() -> None:
    document = parsed("---\ntitle: T\ndescription: D\n---\n= Other\n")
    assert (document.title, document.description, document.first_line) == ("T", "D", 5)
    assert parsed("---\ntitle: T\n---\n").first_line == 1


def test_a_listing_can_be_reopened_with_its_language() -> None:
    document = parsed(".Example\n[source,java]\n----\nclass X {}\n\n== no title\n----\n\nend\n")
    code, end = document.blocks
    assert (code.kind, code.opening, code.closing) == (Kind.CODE, "[source,java]\n----\n", "----\n")
    assert end.kind is Kind.PARAGRAPH


@pytest.mark.parametrize(
    ("text", "closing"),
    [("....\nx\n....\n", "....\n"), ("```sh\nx\n```\n", "```\n"), ("----\nnever closed\n", "----\n")],
)
def test_verbatim_blocks_of_each_kind_are_code(text: str, closing: str) -> None:
    block = parsed(text + "").blocks[0]
    assert (block.kind, block.closing) == (Kind.CODE, closing)


def test_an_opening_too_long_to_repeat_is_not_repeated() -> None:
    block = parsed(f"[source,{'x' * 2_000}]\n----\nx\n----\n").blocks[0]
    assert (block.opening, block.closing) == ("", "")


def test_a_source_block_between_two_dashes_is_code() -> None:
    assert parsed("[source]\n--\nx\n--\n").blocks[0].kind is Kind.CODE


def test_an_example_holds_its_blocks_and_a_comment_is_one_block() -> None:
    document = parsed("[NOTE]\n====\nInner.\n\n----\nc\n----\n====\n\n////\nhidden\n\nmore\n////\n\nend\n")
    assert [block.kind for block in document.blocks] == [Kind.QUOTE, Kind.PARAGRAPH, Kind.PARAGRAPH]
    assert [child.kind for child in document.blocks[0].children] == [Kind.PARAGRAPH, Kind.PARAGRAPH, Kind.CODE]


def test_items_hold_the_blocks_attached_to_them() -> None:
    document = parsed("* a\n** b\n+\n[source]\n----\nx\n\ny\n----\n* c\n\nterm:: text\n\nend\n")
    items = document.blocks[0].children
    assert [piece for _, piece in pieces(document, items)] == [
        "* a\n",
        "** b\n+\n[source]\n----\nx\n\ny\n----\n",
        "* c\n\n",
        "term:: text\n\n",
    ]
    assert items[1].children[1].kind is Kind.CODE


def test_a_paragraph_or_block_without_a_plus_may_follow_an_item() -> None:
    document = parsed("* a\n+\nmore words\n+\n* b\n----\nx\n----\n[note]\nend\n")
    assert document.blocks[0].kind is Kind.LIST
    assert pieces(document)[-1][1] == "[note]\nend\n"


def test_a_table_of_lines_has_rows_and_a_header() -> None:
    document = parsed("[%header,cols=2*]\n|===\n|A |B\n|1 |2\n|3 |4\n|===\n\nend\n")
    table = document.blocks[0]
    assert (table.opening, table.closing) == ("|===\n|A |B\n", "|===\n")
    assert [piece for _, piece in pieces(document, table.children)][1:] == ["|1 |2\n", "|3 |4\n|===\n\n"]


def test_a_table_of_parted_cells_has_a_row_for_each_group() -> None:
    document = parsed("|===\n|A |B\n\n|1\n|2\n\n|3\n|4\n|===\n")
    table = document.blocks[0]
    assert table.opening == "|===\n|A |B\n\n"
    assert len(table.children) == 3


def test_a_table_without_header_or_rows_repeats_nothing() -> None:
    assert parsed("|===\n|1 |2\n|3 |4\n|===\n").blocks[0].opening == ""
    assert parsed("|===\n|===\n").blocks[0].kind is Kind.TABLE


def test_attributes_at_the_end_and_comments_are_paragraphs() -> None:
    assert [kind for kind, _ in pieces(parsed("text\n\n[a]\n\n// note\n"))] == [Kind.PARAGRAPH] * 3


def test_very_deep_nesting_is_cut_off_not_followed() -> None:
    text = "".join("=" * (4 + depth) + "\n" for depth in range(60))
    text += "x\n" + "".join("=" * (4 + depth) + "\n" for depth in reversed(range(60)))
    assert parsed(text).text == text


ADOC_LINES = st.sampled_from(
    ["= T", "== S", "text", "text.", "", "", "----", "....", "====", "--", "```", "```sh", "|===", "|a |b", "|c", "* a",
     "** b", "+", "term:: x", "[source]", "[[id]]", ".Title", "// c", "////", ":a: b", "NOTE: x", "<1> co", "____",
     "ifdef::x[]", "Old", "~~~~"]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(ADOC_LINES, max_size=40).map("\n".join))
def test_any_asciidoc_is_tiled_by_blocks_that_start_with_their_lines(text: str) -> None:
    document = parsed(text or "x")
    for block in document.blocks:
        assert block.start == 0 or document.text[block.start - 1] == "\n"
