"""CSV and its kin: delimiters, quoted fields over lines, headers, and what is none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.documents import Document, Kind, parse
from docshelf.documents.tiling import tiles
from docshelf.errors import EmptyDocumentError
from docshelf.settings import Limits


def read(text: str | bytes, key: str = "loans.csv") -> Document:
    return parse(text if isinstance(text, bytes) else text.encode(), key, Limits())


def rows(document: Document) -> list[str]:
    return [document.text[child.start : child.end] for child in document.blocks[-1].children]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_each_delimiter_is_found_and_the_header_repeated(delimiter: str) -> None:
    document = read(f"Bank{delimiter}Rate\nNorth{delimiter}4.1\nSouth{delimiter}3.9\n")
    (table,) = document.blocks
    assert (table.kind, table.opening, len(table.children)) == (Kind.TABLE, f"Bank{delimiter}Rate\n", 3)
    assert (document.media_type, document.title, document.source_lines) == ("csv", "loans", True)


def test_a_decimal_comma_is_no_delimiter() -> None:
    assert read("Bank;Rate\nNorth;4,1\nSouth;3,9\n").blocks[0].opening == "Bank;Rate\n"


def test_a_quoted_field_over_lines_is_one_row() -> None:
    document = read('Bank,Note\nNorth,"first\nsecond, ""third"""\nSouth,none\n')
    assert rows(document) == ["Bank,Note\n", 'North,"first\nsecond, ""third"""\n', "South,none\n"]


def test_a_quotation_mark_that_is_never_closed_joins_no_lines() -> None:
    text = 'Bank,Size\nNorth,5" disk\n' + 'South,"open\n' + "West,1\n" * 200
    assert len(rows(read(text))) == 203


def test_lines_above_the_table_stay_outside_of_it() -> None:
    document = read("Export of May\n\nBank,Rate\nNorth,4.1\nSouth,3.9\n")
    assert document.blocks[0].kind is Kind.PARAGRAPH
    assert document.blocks[1].opening == "Bank,Rate\n"


def test_a_stated_delimiter_is_believed() -> None:
    document = read("sep=:\nBank:Rate\nNorth:4.1\n")
    assert document.blocks[-1].opening == "Bank:Rate\n"


@pytest.mark.parametrize("text", ["1,2\n3,4\n", "2024-01-01,5\n2024-01-02,6\n", ",,\na,b,c\nd,e,f\n"])
def test_a_first_row_of_figures_or_blanks_is_no_header(text: str) -> None:
    assert read(text).blocks[-1].opening == ""


@pytest.mark.parametrize("text", ["Just one line of words", "Some words.\nMore words, with one comma.\nEnd.\n"])
def test_what_has_no_columns_is_plain_text(text: str) -> None:
    assert read(text).media_type == "plain text"


def test_encodings_and_line_ends_are_those_of_text_files() -> None:
    document = read("Bank\tRäte\r\nNorth\t1\r\n".encode("utf-16"), "loans.txt.tsv")
    assert document.text == "Bank\tRäte\nNorth\t1\n"


def test_rows_of_a_very_long_file_are_taken_together() -> None:
    document = read("a,b\n" + "1,2\n" * 250_000)
    assert 100 < len(document.blocks[-1].children) < 10_000
    assert "".join(rows(document)) == document.text


def test_a_header_too_long_to_repeat_is_not_repeated() -> None:
    assert (
        read("\t".join(f"column{number}" for number in range(400)) + "\n" + "\t1" * 399 + "\n").blocks[0].opening == ""
    )


@settings(deadline=None)
@given(st.lists(st.lists(st.text(alphabet='ab1", ;\t|\n'), max_size=4), max_size=8), st.sampled_from(",;\t"))
def test_any_table_is_tiled_and_keeps_its_text(table: list[list[str]], delimiter: str) -> None:
    text = "\n".join(delimiter.join(row) for row in table)
    try:
        document = read(text)
    except EmptyDocumentError:
        return
    assert document.text == text
    assert tiles(document.blocks, len(text))
