"""Plain text and source code."""

from __future__ import annotations

from docshelf.documents.model import Document, Kind
from docshelf.documents.text.code import parse_code
from docshelf.documents.text.plain import parse_plain


def pieces(document: Document) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks]


def test_paragraphs_are_parted_by_blank_lines() -> None:
    document = parse_plain("\n\na\nb\n \t\nc\n\n\n", "notes/a.txt")
    assert pieces(document) == ["\n\na\nb\n \t\n", "c\n\n\n"]
    assert {block.kind for block in document.blocks} == {Kind.PARAGRAPH}
    assert (document.title, document.media_type, document.source_lines) == ("a", "plain text", True)


def test_one_very_long_line_is_one_block() -> None:
    assert len(parse_plain("x" * 1_000_000, "a.log").blocks) == 1


def test_short_paragraphs_are_taken_together_in_a_very_long_file() -> None:
    document = parse_plain("x\n\n" * 150_000, "a.log")
    assert 100 < len(document.blocks) < 1_000
    assert "".join(pieces(document)) == document.text


def test_code_is_grouped_where_a_line_starts_at_the_margin_after_a_blank_one() -> None:
    text = "import a\n\n\ndef f():\n    x\n\n    y\n\n\nclass B:\n    pass\n"
    document = parse_code(text, "src/main.py")
    assert pieces(document) == ["import a\n\n\n", "def f():\n    x\n\n    y\n\n\n", "class B:\n    pass\n"]
    assert document.title == "main.py"
    assert {block.kind for block in document.blocks} == {Kind.CODE}


def test_a_line_that_closes_or_continues_starts_no_group() -> None:
    assert len(parse_code("f(\n\n)\n\nif x; then\n\nelse\n\nfi\n", "a.sh").blocks) == 2


def test_code_that_never_reaches_the_margin_is_one_block() -> None:
    assert len(parse_code("  a\n\n  b\n", "a.txt").blocks) == 1
