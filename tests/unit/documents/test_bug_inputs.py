"""Inputs of faults that people reported about other programs, as far as reading them goes; where they are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from docshelf.documents import Document, Kind, parse
from docshelf.settings import Limits

INPUTS = Path(__file__).parents[3].parent / "shared" / "corpus" / "bugs"

pytestmark = pytest.mark.skipif(not INPUTS.is_dir(), reason="the shared corpus of documents is not on this machine")


def read(name: str) -> Document:
    return parse((INPUTS / name).read_bytes(), name, Limits())


def headings(document: Document) -> list[tuple[str, ...]]:
    return [block.headings for block in document.blocks if block.kind is Kind.HEADING]


def test_ligatures_are_shown_as_they_are_written() -> None:
    assert "veriﬁcation workﬂow" in read("14-text-ligatures.txt").text


def test_bytes_of_another_encoding_are_neither_lost_nor_kept_secret() -> None:
    document = read("16-ignored-bytes.txt")
    assert document.text == "Price: 5 €\nCopyright © Acme™\n"
    assert "windows-1252" in document.warnings[0]


def test_a_mark_before_front_matter_hides_neither_title_nor_heading() -> None:
    document = read("17-bom-front-matter.md")
    assert document.title == "Quorum guide"
    assert headings(document) == [("Start",), ("Start", "Second")]
    assert "author" not in document.text


def test_two_nuls_make_no_binary_file() -> None:
    document = read("18-nul-in-text.txt")
    assert document.text == "Start of the runbook.\nStep two follows.\n"
    assert document.warnings == ("NUL characters were removed from the text.",)


def test_closing_hashes_are_no_part_of_a_heading_and_others_are() -> None:
    assert [path[-1] for path in headings(read("20-closing-hashes.md"))] == ["Limits", "C#", "F# and C#"]


def test_lines_of_a_pre_block_stay_lines_whatever_tags_they_hold() -> None:
    document = read("28-html-pre-inline.html")
    assert "Retries = 3\nBackoff = 2s\n" in document.text
    assert document.blocks[-1].headings == ("Guide", "Tuning")


def test_a_list_in_a_cell_is_part_of_its_row() -> None:
    row = next(line for line in read("30-html-list-in-cell.html").text.split("\n") if "Mon" in line)
    assert "10:00-18:00" in row


def test_code_keeps_its_indentation() -> None:
    assert "for i in range(3):\n    if call():\n        break\n" in read("31-html-code-indent.html").text


def test_a_paragraph_in_a_layout_table_goes_on_behind_inline_tags() -> None:
    document = read("32-html-layout-table.html")
    assert "minus 3r and the right wheel at 3r over 2.\n\nSecond part." in document.text
