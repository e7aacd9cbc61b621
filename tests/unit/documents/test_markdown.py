"""Markdown and MDX: structure, headings, titles, lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.documents.markup.markdown import parse_markdown
from docshelf.documents.model import Block, Document, Kind
from docshelf.documents.tiling import tiles


def parsed(text: str, key: str = "guide.md") -> Document:
    document = parse_markdown(text, key)
    assert tiles(document.blocks, len(document.text))
    return document


def pieces(document: Document, blocks: tuple[Block, ...] | None = None) -> list[tuple[Kind, str]]:
    chosen = document.blocks if blocks is None else blocks
    return [(block.kind, document.text[block.start : block.end]) for block in chosen]


def headings(text: str, key: str = "guide.md") -> list[tuple[str, ...]]:
    return [block.headings for block in parsed(text, key).blocks if block.kind is Kind.HEADING]


def test_headings_of_both_forms_make_the_path() -> None:
    text = "# Guide\n\nIntro.\n\nInstall\n-------\n\nRun it.\n\n### Linux ###\n\nx\n\n## Remove\n\ny\n"
    document = parsed(text)
    assert [(block.kind.value, block.headings) for block in document.blocks] == [
        ("heading", ("Guide",)),
        ("paragraph", ("Guide",)),
        ("heading", ("Guide", "Install")),
        ("paragraph", ("Guide", "Install")),
        ("heading", ("Guide", "Install", "Linux")),
        ("paragraph", ("Guide", "Install", "Linux")),
        ("heading", ("Guide", "Remove")),
        ("paragraph", ("Guide", "Remove")),
    ]


def test_closing_hashes_are_no_part_of_a_heading_and_a_sharp_is() -> None:
    assert headings("# Limits ##\n\n## C#\n\n### F# and C# ###\n") == [
        ("Limits",),
        ("Limits", "C#"),
        ("Limits", "C#", "F# and C#"),
    ]


def test_a_long_paragraph_over_a_rule_is_no_heading_and_an_empty_heading_is_none() -> None:
    assert headings("one\ntwo\nthree\nfour\n---\n\ntext\n\n#\n\n## \n") == []


def test_a_heading_written_in_html_counts() -> None:
    document = parsed('<h1 align="center">\n  <b>docshelf</b>\n</h1>\n\nText.\n')
    assert document.title == "docshelf"
    assert document.blocks[1].headings == ("docshelf",)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: From front matter\n---\n# Other\n", "From front matter"),
        ("## Sub\n\n# `Main` page {#main}\n", "Main page"),
        ("## First\n\n### Second\n", "First"),
        ("Only words.\n", "guide"),
        ("> # Quoted\n", "guide"),
    ],
)
def test_the_title_is_the_most_explicit_one(text: str, title: str) -> None:
    assert parsed(text).title == title


def test_text_starts_behind_the_front_matter_and_lines_stay_those_of_the_file() -> None:
    document = parsed("---\ntitle: T\ndescription: About.\n---\n\n# Start\n\nFirst.\n")
    assert document.text == "\n# Start\n\nFirst.\n"
    assert (document.first_line, document.source_lines, document.description) == (5, True, "About.")


def test_a_file_of_front_matter_only_keeps_it_as_text() -> None:
    document = parsed("---\ntitle: T\n---\n\n")
    assert (document.title, document.text, document.first_line) == ("T", "---\ntitle: T\n---\n\n", 1)


def test_a_fence_can_be_reopened_and_closed() -> None:
    document = parsed('# A\n\n~~~~yaml title="x"\na: 1\n```\n~~~~\n\nend\n')
    code = document.blocks[1]
    assert code.kind is Kind.CODE
    assert (code.opening, code.closing) == ('~~~~yaml title="x"\n', "~~~~\n")
    assert document.text[code.start : code.end].endswith("~~~~\n\n")


@pytest.mark.parametrize("text", ["```js\nx\n", "```js", "```js\n\n"])
def test_a_fence_that_is_never_closed_has_a_closing_line_all_the_same(text: str) -> None:
    block = parsed(text).blocks[0]
    assert (block.opening, block.closing) == ("```js\n", "```\n")


def test_a_fence_behind_a_list_marker_is_reopened_without_the_marker() -> None:
    item = parsed("- ```js\n  x\n  ```\n- b\n").blocks[0].children[0]
    assert [(child.opening, child.closing) for child in item.children] == [("  ```js\n", "  ```\n")]


def test_a_fence_in_a_quote_keeps_the_quote_mark() -> None:
    quote = parsed("> text\n>\n> ```sh\n> ls\n> ```\n").blocks[0]
    assert quote.kind is Kind.QUOTE
    assert [child.opening for child in quote.children] == ["", "> ```sh\n"]


def test_a_fence_line_too_long_to_repeat_is_repeated_without_its_words() -> None:
    assert parsed(f"```js {'x' * 5_000}\ny\n```\n").blocks[0].opening == "```\n"


@pytest.mark.parametrize("blank", ["", "\n"])
def test_a_fence_in_an_indented_admonition_is_a_fence(blank: str) -> None:
    text = f"!!! note\n    Read this:\n{blank}    ```sh\n    ls\n\n    pwd\n    ```\n\n    Then go on.\n\nend\n"
    found = pieces(parsed(text))
    assert [kind for kind, _ in found] == [Kind.PARAGRAPH, Kind.CODE, Kind.PARAGRAPH, Kind.PARAGRAPH]
    assert found[1][1] == "    ```sh\n    ls\n\n    pwd\n    ```\n\n"


def test_an_indented_fence_without_end_stops_where_the_indentation_does() -> None:
    assert [kind for kind, _ in pieces(parsed('=== "Tab"\n\n    ```sh\n    ls\n\n# Next\n'))] == [
        Kind.PARAGRAPH,
        Kind.CODE,
        Kind.HEADING,
    ]


def test_indented_code_stays_code() -> None:
    document = parsed("text\n\n    # no heading\n    code\n\nend\n")
    assert [kind for kind, _ in pieces(document)] == [Kind.PARAGRAPH, Kind.CODE, Kind.PARAGRAPH]


def test_indentation_makes_no_code_in_mdx() -> None:
    text = "import X from 'x'\n\n<Tabs>\n\n    - item\n\n</Tabs>\n"
    kinds = [kind for kind, _ in pieces(parsed(text, "page.MDX"))]
    assert kinds == [Kind.PARAGRAPH, Kind.PARAGRAPH, Kind.LIST, Kind.PARAGRAPH]


def test_a_table_has_rows_and_a_header_to_repeat() -> None:
    document = parsed("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nend\n")
    table = document.blocks[0]
    assert table.opening == "| a | b |\n|---|---|\n"
    assert pieces(document, table.children) == [
        (Kind.TABLE_ROW, "| a | b |\n|---|---|\n"),
        (Kind.TABLE_ROW, "| 1 | 2 |\n"),
        (Kind.TABLE_ROW, "| 3 | 4 |\n\n"),
    ]


def test_list_items_hold_what_is_nested_in_them() -> None:
    document = parsed("1. one\n\n   more\n\n   - inner\n2. two\n")
    items = document.blocks[0].children
    assert [block.kind for block in items[0].children] == [Kind.PARAGRAPH, Kind.PARAGRAPH, Kind.LIST]
    assert pieces(document, items)[1] == (Kind.LIST_ITEM, "2. two\n")


def test_a_heading_in_a_list_item_ends_with_the_item() -> None:
    document = parsed("# Top\n\n- # Inner\n\n  text\n\nend\n")
    item = document.blocks[1].children[0] if document.blocks[1].children else document.blocks[1]
    assert [child.headings for child in item.children] == [("Top", "Inner"), ("Top", "Inner")]
    assert document.blocks[-1].headings == ("Top",)


def test_a_line_separator_is_no_line_end() -> None:
    assert headings("a\u2028# b\n\n# c\n") == [("c",)]


def test_reference_definitions_and_comments_stay_in_the_text() -> None:
    text = "<!-- why -->\n\n[a]: https://x.example\n\n# H\n"
    assert "".join(piece for _, piece in pieces(parsed(text))) == text


@pytest.mark.parametrize(
    "text",
    [
        ">" * 5_000 + " x\n",
        "- " * 5_000 + "x\n",
        "".join("  " * depth + "- x\n" for depth in range(150)),
        "# " + "`" * 3_000 + "[" * 3_000 + "*" * 3_000,
        "text\n    ```a\n" * 500,
        "|" * 3_000 + "\n" + "|-" * 1_500 + "\n",
    ],
)
def test_deep_and_crooked_input_is_read_without_recursion_errors(text: str) -> None:
    assert parsed(text).text == text


MARKDOWN_LINES = st.sampled_from(
    ["# H", "## H ##", "text", "", "", "- item", "  - inner", "    deep", "1. one", "> quote", "> - x", "```", "```py",
     "    ```", "~~~", "|a|b|", "|-|-|", "|1|2|", "===", "---", "<div>", "</div>", "<!-- x", "-->", "!!! note", "\tx",
     "[a]: b", "- ```", "+ ", "***", "> ```", "\u2028", "{#x}"]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(MARKDOWN_LINES, max_size=40).map("\n".join), st.sampled_from(["a.md", "a.mdx"]))
def test_any_markdown_is_tiled_by_blocks_that_start_with_their_lines(text: str, key: str) -> None:
    document = parsed(text or "x", key)
    assert document.text == text[len(text) - len(document.text) :] or not text
    for block in document.blocks:
        assert block.start == 0 or document.text[block.start - 1] == "\n"
        if block.kind is Kind.HEADING:
            assert block.headings
