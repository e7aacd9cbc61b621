"""The lines of a page in the order in which people read them."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from docshelf.aws.textract import Line
from docshelf.ocr.order import page_text


def line(text: str, left: float, top: float, width: float = 0.4) -> Line:
    return Line(1, text, 99.0, left, top, width, 0.015)


def rows(count: int, side: str, left: float, width: float = 0.4) -> list[Line]:
    return [line(f"{side} {number}", left, 0.1 + 0.02 * number, width) for number in range(count)]


def test_lines_are_read_from_top_to_bottom() -> None:
    assert page_text([line("second", 0.1, 0.3), line("first", 0.1, 0.1)]) == "first\nsecond"


def test_columns_of_text_are_read_one_after_the_other() -> None:
    both = [one for pair in zip(rows(6, "left", 0.05), rows(6, "right", 0.55), strict=True) for one in pair]
    assert page_text(both).split("\n") == [f"{side} {number}" for side in ("left", "right") for number in range(6)]


def test_a_line_across_both_columns_parts_what_is_above_from_what_is_below() -> None:
    heading, middle = line("Heading across", 0.1, 0.02, 0.8), line("Table 1 across", 0.1, 0.155, 0.8)
    page = [heading, middle, *rows(6, "left", 0.05), *rows(6, "right", 0.55)]
    assert page_text(page).split("\n") == [
        "Heading across",
        *(f"{side} {number}" for side in ("left", "right") for number in range(3)),
        "Table 1 across",
        *(f"{side} {number}" for side in ("left", "right") for number in range(3, 6)),
    ]


def test_cells_of_a_table_are_rows() -> None:
    table = [*rows(6, "pump", 0.05, 0.1), *rows(6, "bar", 0.4, 0.08), *rows(6, "price", 0.8, 0.1)]
    assert page_text(table).split("\n") == [f"pump {n}  bar {n}  price {n}" for n in range(6)]


def test_a_crooked_row_is_one_row_and_its_white_space_is_single() -> None:
    assert page_text([line("a \t b", 0.1, 0.100, 0.1), line("c", 0.5, 0.104, 0.1)]) == "a b  c"


def test_a_page_without_words_has_no_text() -> None:
    assert page_text([]) == page_text([line("  ", 0.1, 0.1)]) == ""


shares = st.floats(0, 1, allow_nan=False, width=32)
lines = st.builds(Line, st.just(1), st.text("abc", min_size=1, max_size=3), shares, shares, shares, shares, shares)


@given(st.lists(lines, max_size=40))
def test_no_line_is_lost_or_comes_twice_wherever_it_stands(page: list[Line]) -> None:
    assert Counter(page_text(page).split()) == Counter(one.text for one in page)


def test_a_page_of_very_many_lines_is_read_as_rows() -> None:
    page = [line(f"{number}", 0.1, number / 3_000) for number in range(3_000)]
    assert len(page_text(page).split()) == 3_000
