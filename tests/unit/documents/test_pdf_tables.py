"""Tables of PDFs: rows with their cells where lines or columns show them, and nothing that is no table torn apart."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from docshelf.documents import Block, Document, Kind, parse
from docshelf.documents.tiling import tiles
from docshelf.settings import Limits
from tests.support.made_pdfs import pdf_of, show

SHARED = Path(__file__).parents[3] / "../shared/corpus"
needs_corpus = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared corpus is not beside the repository")
PEOPLE = [["Name", "Born", "Field"], ["Ada Lovelace", "1815", "Mathematics"], ["Grace Hopper", "1906", "Compilers"]]
STYLE = getSampleStyleSheet()["Normal"]
PROSE = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "a",
    "lazy",
    "dog",
    "and",
    "goes",
    "on",
    "to",
    "the",
    "river",
    "and",
    "drinks",
    "some",
    "water",
]


def read(data: bytes) -> Document:
    document = parse(data, "made.pdf", Limits())
    assert tiles(document.blocks, len(document.text))
    return document


def tables(document: Document) -> list[Block]:
    return [block for block in document.blocks if block.kind is Kind.TABLE]


def rows(document: Document) -> list[list[str]]:
    """The text of each row of each table."""
    return [
        [document.text[row.start : row.end].strip() for row in table.children or (table,)] for table in tables(document)
    ]


def ruled(cells: Sequence[Sequence[object]], widths: Sequence[float] | None = None) -> bytes:
    """A table with lines around all of its cells."""
    written = io.BytesIO()
    style = [("GRID", (0, 0), (-1, -1), 0.5, "black")]
    SimpleDocTemplate(written, pagesize=A4).build([Table(cells, colWidths=widths, style=style)])
    return written.getvalue()


def line(left: float, bottom: float, right: float, top: float) -> str:
    return f"{left} {bottom} m {right} {top} l S\n"


def lined_up(cells: Sequence[Sequence[str]], lefts: Sequence[float], top: int = 700) -> str:
    return "".join(
        show(cell, left, top - 20 * number)
        for number, row in enumerate(cells)
        for cell, left in zip(row, lefts, strict=True)
        if cell
    )


def test_rows_between_ruling_lines_are_rows_and_the_header_is_repeated_with_each_piece() -> None:
    document = read(ruled(PEOPLE))
    (table,) = tables(document)
    assert rows(document) == [[f"| {' | '.join(row)} |" for row in PEOPLE]]
    assert table.opening == "| Name | Born | Field |\n"
    assert {row.kind for row in table.children} == {Kind.TABLE_ROW}
    assert {row.page for row in table.children} == {1}


def test_a_cell_of_several_lines_is_one_cell() -> None:
    long = Paragraph("A computer scientist who wrote one of the first compilers for a coordi-<br/>nator", STYLE)
    document = read(ruled([["Name", "Field"], ["Grace Hopper", long], ["Ada Lovelace", "Mathematics"]], [100, 120]))
    assert rows(document)[0][1:] == [
        "| Grace Hopper | A computer scientist who wrote one of the first compilers for a coordinator |",
        "| Ada Lovelace | Mathematics |",
    ]


def test_a_table_may_begin_with_a_title_over_all_columns_and_miss_cells() -> None:
    content = lined_up([["Totals", ""], ["Region", "Sum"], ["North", "12"], ["", "13"]], [110, 210])
    content += "".join(line(100, y, 300, y) for y in (715, 695, 675, 655, 635))
    content += line(100, 635, 100, 715) + line(200, 635, 200, 695) + line(300, 635, 300, 715)
    document = read(pdf_of([content]))
    assert rows(document) == [["| Totals |", "| Region | Sum |", "| North | 12 |", "|  | 13 |"]]
    assert tables(document)[0].opening == "| Totals |\n| Region | Sum |\n"


def test_rows_without_lines_between_them_are_told_by_their_height() -> None:
    cells = [["Region", "Sum"], *([f"Part {number}", str(100 + number)] for number in range(6))]
    content = lined_up(cells, [110, 210])
    content += "".join(line(100, y, 300, y) for y in (715, 695, 570))
    content += "".join(line(x, 570, x, 715) for x in (100, 200, 300))
    assert rows(read(pdf_of([content])))[0] == [f"| {' | '.join(row)} |" for row in cells]


def test_text_around_a_table_stays_where_it_was() -> None:
    content = show("What stands above", 110, 740) + lined_up(PEOPLE, [110, 210, 310]) + show("and below", 110, 600)
    content += "".join(line(100, y, 400, y) for y in (715, 695, 675, 655))
    content += "".join(line(x, 655, x, 715) for x in (100, 200, 300, 400))
    document = read(pdf_of([content]))
    kinds = [(block.kind, document.text[block.start : block.end].strip()[:10]) for block in document.blocks]
    assert kinds == [(Kind.PARAGRAPH, "What stand"), (Kind.TABLE, "| Name | B"), (Kind.PARAGRAPH, "and below")]


def test_lines_whose_parts_stand_in_columns_are_rows() -> None:
    cells = [["Item", "Pieces", "Price"], ["Bolts", "12", "3.50"], ["Nuts", "400", "12.00"], ["Pins", "", "0.75"]]
    document = read(pdf_of([lined_up(cells, [72, 200, 300])]))
    assert rows(document) == [
        ["| Item | Pieces | Price |", "| Bolts | 12 | 3.50 |", "| Nuts | 400 | 12.00 |", "| Pins |  | 0.75 |"]
    ]
    assert tables(document)[0].opening == "| Item | Pieces | Price |\n"


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_table_has_the_same_rows(turn: int) -> None:
    matrix = {90: "0 1 -1 0 600 0", 180: "-1 0 0 -1 600 800", 270: "0 -1 1 0 0 800"}[turn]
    content = lined_up(PEOPLE, [110, 210, 310], top=400)
    content += "".join(line(100, y, 400, y) for y in (415, 395, 375, 355))
    content += "".join(line(x, 355, x, 415) for x in (100, 200, 300, 400))
    document = read(pdf_of([f"q {matrix} cm {content} Q"], box=f"/Rotate {turn}"))
    assert rows(document) == [[f"| {' | '.join(row)} |" for row in PEOPLE]]


def test_two_columns_of_prose_drawn_line_by_line_are_no_table() -> None:
    lines = [(" ".join(PROSE[n : n + 5]), " ".join(PROSE[n + 5 : n + 10])) for n in range(10)]
    document = read(pdf_of([lined_up(lines, [72, 320])]))
    assert not tables(document)
    assert document.text.splitlines() == [" ".join(both) for both in lines]


@pytest.mark.parametrize("marks", [["1.", "2.", "3.", "4."], ["a)", "b)", "c)", "d)"], ["-", "-", "-", "-"]])
def test_a_list_is_no_table(marks: list[str]) -> None:
    items = [[mark, " ".join(PROSE[n : n + 6])] for n, mark in enumerate(marks)]
    assert not tables(read(pdf_of([lined_up(items, [72, 110])])))


def test_a_table_of_contents_is_no_table() -> None:
    items = [[f"{n}", f"{PROSE[n]} {PROSE[n + 1]} . . . . . . . . . .", f"{9 * n}"] for n in range(1, 6)]
    assert not tables(read(pdf_of([lined_up(items, [72, 110, 400])])))


def test_a_frame_around_text_and_a_line_between_columns_are_no_table() -> None:
    lines = [(" ".join(PROSE[n : n + 5]), " ".join(PROSE[n + 5 : n + 10])) for n in range(8)]
    content = lined_up(lines, [72, 320]) + "60 500 500 230 re S " + line(310, 500, 310, 730)
    document = read(pdf_of([content]))
    assert not tables(document)
    assert document.text.splitlines() == [" ".join(both) for both in lines]


def test_a_word_that_goes_on_in_the_next_line_keeps_its_line_out_of_a_table() -> None:
    cells = [["alpha", "a coordi-"], ["", "nator"], ["beta", "a second"], ["gamma", "a third"], ["delta", "a fourth"]]
    document = read(pdf_of([lined_up(cells, [72, 200])]))
    assert "coordinator" in document.text
    assert rows(document) == [["| beta | a second |", "| gamma | a third |", "| delta | a fourth |"]]


def test_marks_that_a_file_holds_make_no_table() -> None:
    document = read(pdf_of([show("plain words", 72, 700)]))
    assert not tables(document)
    for mark in "\ufdd0\ufdd1\ufdd2\ufdd3\ufdd4":
        assert mark not in document.text


def test_a_drawing_of_very_many_lines_is_no_table() -> None:
    content = show("A map", 72, 700) + "".join(line(n % 500, n % 700, n % 500 + 9, n % 700) for n in range(12_000))
    assert read(pdf_of([content])).text == "A map\n"


@st.composite
def pages(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Words at places of a coarse raster, and ruling lines anywhere.

    A word has two letters at least: single ones below each other are a word that is written downwards.
    """
    places = st.tuples(st.integers(0, 5), st.integers(0, 20))
    words = draw(st.dictionaries(places, st.from_regex(r"[a-z]{2,9}", fullmatch=True), min_size=1, max_size=40))
    shown = "".join(show(word, 50 + 90 * x, 760 - 20 * y, size=10) for (x, y), word in sorted(words.items()))
    edges = st.integers(0, 30)
    rules = draw(st.lists(st.tuples(edges, edges, edges, st.booleans()), max_size=30))
    for place, start, length, flat in rules:
        if flat:
            shown += line(20 * start, 775 - 20 * place, 20 * (start + length), 775 - 20 * place)
        else:
            shown += line(20 * place, 775 - 20 * start, 20 * place, 775 - 20 * (start + length))
    return shown, list(words.values())


@given(pages())
@settings(max_examples=150, deadline=None)
def test_no_word_is_lost_or_doubled_whatever_lines_are_drawn(page: tuple[str, list[str]]) -> None:
    content, words = page
    text = read(pdf_of([content])).text.replace("|", " ")
    assert Counter("".join(text.split())) == Counter("".join(words))
    assert Counter(text.split()) == Counter(words)


@needs_corpus
@pytest.mark.parametrize(
    ("file", "row"),
    [
        ("l-nics-background-checks-2015-11-rotated.pdf", "| Alaska | 209 | 3,062 | 3,209 | 191 | 184 | 0 | 9 |"),
        ("c-assam.pdf", "| Barpeta | 88.8 | 88.6 | 91.1 | 85.6 |"),
        ("l-word365_structure.pdf", "|"),
        ("x-tracemonkey-xref-shift.pdf", "| 3d-cube | 25 | 27 | 29 | 3 | 0 | 1.1 |"),
        (
            "c-argentina_diputados_voting_record.pdf",
            "| ALBRIEU, Oscar Edmundo Nicolas | Frente para la Victoria - PJ |",
        ),
    ],
)
def test_tables_of_real_files_have_their_rows(file: str, row: str) -> None:
    found = rows(read((SHARED / "files/pdf" / file).read_bytes()))
    assert any(line.startswith(row) for table in found for line in table)


@needs_corpus
@pytest.mark.parametrize(
    "file", ["l-cupertino_usd_4-6-16.pdf", "l-scotus-transcript-p1.pdf", "x-deep-outline-hyphens.pdf", "j-pdkids.pdf"]
)
def test_real_prose_has_no_tables(file: str) -> None:
    assert not tables(read((SHARED / "files/pdf" / file).read_bytes()))
