"""reStructuredText: sections, directives, literal blocks, lists, tables."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.documents.markup.restructuredtext import parse_restructuredtext
from docshelf.documents.model import Block, Document, Kind
from docshelf.documents.tiling import tiles


def parsed(text: str) -> Document:
    document = parse_restructuredtext(text, "docs/guide.rst")
    assert tiles(document.blocks, len(document.text))
    return document


def pieces(document: Document, blocks: tuple[Block, ...] | None = None) -> list[tuple[Kind, str]]:
    chosen = document.blocks if blocks is None else blocks
    return [(block.kind, document.text[block.start : block.end]) for block in chosen]


def headings(text: str) -> list[tuple[str, ...]]:
    return [block.headings for block in parsed(text).blocks if block.kind is Kind.HEADING]


def test_section_levels_follow_the_order_in_which_adornments_appear() -> None:
    text = "=====\nGuide\n=====\n\nPart\n====\n\nTopic\n~~~~~\n\nPart two\n========\n\ntext\n"
    assert headings(text) == [("Guide",), ("Guide", "Part"), ("Guide", "Part", "Topic"), ("Guide", "Part two")]
    assert parsed(text).title == "Guide"


@pytest.mark.parametrize(
    "text",
    ["text\n\n----\n\nmore\n", "A long line of text\n==\n", "----\n----\n", "word\n\n====\n\nmore\n", ".. a\n====\n"],
)
def test_transitions_and_short_adornments_are_no_titles(text: str) -> None:
    assert headings(text) == []
    assert parsed(text).title == "guide"


def test_a_wide_title_needs_its_columns_and_four_marks_are_always_enough() -> None:
    assert headings("証\n==\n\nx\n") == [("証",)]
    assert headings("証明\n==\n\nx\n") == []
    assert headings("A longer title\n====\n\nx\n") == [("A longer title",)]


def test_a_title_loses_its_markup() -> None:
    assert headings("The ``DEBUG`` :ref:`flag <x>`\n=============================\n") == [("The DEBUG flag",)]


def test_front_matter_is_left_out() -> None:
    document = parsed("---\ntitle: T\n---\nText.\n")
    assert (document.title, document.text, document.first_line) == ("T", "Text.\n", 4)
    assert parsed("---\ntitle: T\n---\n").text == "---\ntitle: T\n---\n"


def test_a_literal_block_is_code_up_to_the_margin() -> None:
    document = parsed("Run::\n\n    a\n\n      b\n\nDone.\n")
    assert pieces(document) == [
        (Kind.PARAGRAPH, "Run::\n\n"),
        (Kind.CODE, "    a\n\n      b\n\n"),
        (Kind.PARAGRAPH, "Done.\n"),
    ]


def test_two_colons_before_an_unindented_line_announce_nothing() -> None:
    assert [kind for kind, _ in pieces(parsed("Run::\n\nDone.\n"))] == [Kind.PARAGRAPH, Kind.PARAGRAPH]


def test_a_code_directive_can_be_reopened() -> None:
    document = parsed(".. code-block:: python\n   :linenos:\n\n   x = 1\n\n   y = 2\n\ntext\n")
    assert document.blocks[0].kind is Kind.CODE
    assert document.blocks[0].opening == ".. code-block:: python\n\n"
    assert parsed(".. literalinclude:: a.py\n\ntext\n").blocks[0].opening == ""


def test_a_doctest_is_code() -> None:
    assert pieces(parsed("text\n\n>>> 1 + 1\n2\n\nend\n"))[1] == (Kind.CODE, ">>> 1 + 1\n2\n\n")


def test_what_a_description_holds_is_found_under_its_name() -> None:
    document = parsed("API\n===\n\n.. class:: Foo(bar)\n\n   Text.\n\n   .. method:: run()\n\n      Runs it.\n\nend\n")
    outer = document.blocks[1]
    inner = outer.children[-1]
    assert outer.headings == ("API", "Foo(bar)")
    assert inner.headings == ("API", "Foo(bar)", "run()")
    assert document.blocks[-1].headings == ("API",)


def test_an_admonition_holds_its_blocks_and_a_comment_is_one_block() -> None:
    document = parsed(".. note::\n\n   One.\n\n   * a\n   * b\n\n.. hidden\n   comment\n\n.. _target:\n\nend\n")
    assert [block.kind for block in document.blocks] == [Kind.QUOTE, Kind.PARAGRAPH, Kind.PARAGRAPH, Kind.PARAGRAPH]
    assert [child.kind for child in document.blocks[0].children] == [Kind.PARAGRAPH, Kind.PARAGRAPH, Kind.LIST]


def test_a_list_of_contents_is_one_block() -> None:
    assert [kind for kind, _ in pieces(parsed(".. toctree::\n   :maxdepth: 2\n\n   a\n   b\n\ntext\n"))] == [
        Kind.PARAGRAPH,
        Kind.PARAGRAPH,
    ]


def test_items_hold_paragraphs_literals_and_inner_lists() -> None:
    document = parsed("* one\n* two\n\n  see::\n\n      code\n\n  1. x\n  2. y\n\n#. other\n\nend\n")
    first, other, end = document.blocks
    assert [block.kind for block in (first, other, end)] == [Kind.LIST, Kind.LIST, Kind.PARAGRAPH]
    assert [child.kind for child in first.children[1].children] == [
        Kind.PARAGRAPH,
        Kind.PARAGRAPH,
        Kind.CODE,
        Kind.LIST,
    ]


def test_the_literal_of_an_items_first_line_is_code() -> None:
    document = parsed("* run::\n\n      code\n\n  more\n* b\n")
    assert [child.kind for child in document.blocks[0].children[0].children] == [
        Kind.PARAGRAPH,
        Kind.CODE,
        Kind.PARAGRAPH,
    ]


def test_definitions_and_fields_are_lists() -> None:
    document = parsed("term\n    What it is.\n\nother\n    More.\n\n:author: Ops\n:date: today\n")
    assert [(block.kind, len(block.children)) for block in document.blocks] == [(Kind.LIST, 2), (Kind.LIST, 2)]


def test_a_role_at_the_start_of_a_line_is_no_field() -> None:
    assert pieces(parsed(":class:`Foo` is it.\n"))[0][0] is Kind.PARAGRAPH


def test_a_grid_table_has_rows_and_a_header() -> None:
    document = parsed("+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n+---+---+\n\nend\n")
    table = document.blocks[0]
    assert table.opening == "+---+---+\n| a | b |\n+===+===+\n"
    assert [piece for _, piece in pieces(document, table.children)] == [
        "+---+---+\n| a | b |\n+===+===+\n",
        "| 1 | 2 |\n+---+---+\n",
        "| 3 | 4 |\n+---+---+\n\n",
    ]
    assert parsed("+---+\n| a |\n+---+\n| b |\n+---+\n").blocks[0].opening == ""
    assert parsed("+---+\n\ntext\n").blocks[0].kind is Kind.PARAGRAPH


def test_a_simple_table_has_rows_and_a_header() -> None:
    document = parsed("=====  =====\nA      B\n=====  =====\n1      2\n3      4\n       5\n=====  =====\n\nend\n")
    table = document.blocks[0]
    assert table.opening == "=====  =====\nA      B\n=====  =====\n"
    assert [piece for _, piece in pieces(document, table.children)][1:] == [
        "1      2\n",
        "3      4\n       5\n=====  =====\n\n",
    ]
    assert len(parsed("== ==\n1  2\n3  4\n== ==\n\nend\n").blocks[0].children) == 2
    assert parsed("== ==\nno end\n").blocks[0].kind is Kind.PARAGRAPH


def test_list_and_csv_tables_have_rows_and_a_header() -> None:
    text = ".. list-table::\n   :header-rows: 1\n\n   * - A\n     - B\n   * - 1\n     - 2\n   * - 3\n     - 4\n\nend\n"
    table = parsed(text).blocks[0]
    assert (table.kind, len(table.children), table.opening) == (Kind.TABLE, 3, "   * - A\n     - B\n")
    csv = parsed('.. csv-table:: T\n   :header: "A", "B"\n\n   1, 2\n   3, 4\n\nend\n').blocks[0]
    assert (len(csv.children), csv.opening) == (2, '   :header: "A", "B"\n')
    assert parsed(".. list-table::\n\n   text\n\nend\n").blocks[0].kind is Kind.TABLE


def test_very_deep_indentation_is_cut_off_not_followed() -> None:
    text = "".join(" " * depth + "x\n\n" for depth in range(400))
    assert parsed(text).text == text


RST_LINES = st.sampled_from(
    ["Title", "=====", "-----", "text", "text::", "", "", "* item", "  body", "    deep", "1. one", "..", ".. note::",
     ".. code-block:: py", "   :opt: x", ".. list-table::", "   * - a", "     - b", "+--+", "|a |", "+==+", "== ==",
     ":f: v", ">>> x", ".. class:: A", "| line", "\tx", ".. csv-table::", "::"]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(RST_LINES, max_size=40).map("\n".join))
def test_any_restructuredtext_is_tiled_by_blocks_that_start_with_their_lines(text: str) -> None:
    document = parsed(text or "x")
    for block in document.blocks:
        assert block.start == 0 or document.text[block.start - 1] == "\n"
