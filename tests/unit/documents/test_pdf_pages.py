"""What is mended on PDF pages: spaces between words, text outside the page, turned pages, text written downwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth

from docshelf.documents import Document, parse
from docshelf.documents.tiling import tiles
from docshelf.settings import Limits
from tests.support.made_pdfs import HELVETICA, composite_font, first_of_more, pdf_of, show, unicode_map, vera

SHARED = Path(__file__).parents[3] / "../shared/corpus"
needs_corpus = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared corpus is not beside the repository")


def read(data: bytes) -> Document:
    document = parse(data, "made.pdf", Limits())
    assert tiles(document.blocks, len(document.text))
    return document


def placed(words: list[str], bottom: int, place: Callable[[str, int, str], float]) -> str:
    """`words` letter by letter; a space is drawn with the last letter of each; `place` says how far to go on."""
    content, left = "", 72.0
    for word in words:
        for index, letter in enumerate(word):
            last = index == len(word) - 1
            content += show(f"{letter} " if last else letter, left, bottom)
            left += place(word, index, letter)
    return content


def test_letters_placed_one_by_one_at_even_distances_are_words() -> None:
    content = ""
    for row in range(3):
        left = 72.0
        for word in ("row", "of", "letters", "placed", "one", "by", "one"):
            for letter in word:
                content += show(letter, left, 700 - 20 * row)
                left += 5.2
            left += 3
    assert read(pdf_of([content])).text == "row of letters placed one by one\n" * 3


def test_columns_of_figures_at_even_distances_stay_apart() -> None:
    content = "".join(show(str(number), 72 + 40 * number, 700) for number in range(1, 11))
    assert read(pdf_of([content])).text.split() == [str(number) for number in range(1, 11)]


def test_letters_cut_off_by_the_engine_between_drawn_spaces_are_joined_again() -> None:
    def place(word: str, index: int, letter: str) -> float:
        width = float(stringWidth(letter, "Helvetica", 12))
        return width + (2.5 if index == len(word) - 2 else 9 if index == len(word) - 1 else 0.8)

    words = ["China", "Ocean", "Shipping", "Company", "Limited"]
    pages = "".join(placed(words, 700 - 20 * row, place) for row in range(4))
    assert read(pdf_of([pages])).text == "China Ocean Shipping Company Limited\n" * 4


def test_a_raised_number_is_no_part_of_the_note_behind_it() -> None:
    content = "BT /F0 7 Tf 72 600 Td 5 Ts (12) Tj 0 Ts /F0 12 Tf (The note says so) Tj ET"
    assert read(pdf_of([content])).text == "12 The note says so\n"


def test_a_power_stays_with_its_letter() -> None:
    content = "BT /F0 12 Tf 72 600 Td (E = mc) Tj /F0 7 Tf 6 Ts (2) Tj 0 Ts /F0 12 Tf ( holds) Tj ET"
    assert read(pdf_of([content])).text == "E = mc2 holds\n"


def test_a_word_keeps_what_is_kerned_by_a_tenth_of_its_height() -> None:
    assert read(pdf_of(["BT /F0 12 Tf 72 700 Td [(Post) -100 (operat) 80 (ive)] TJ ET"])).text == "Postoperative\n"


def test_a_line_over_the_edge_of_the_page_is_whole_and_what_lies_outside_is_left_out() -> None:
    content = show("A long line that goes on behind the right edge", 500, 700)
    content += show("printer mark", 72, 790) + show("shown", 72, 400)
    document = read(pdf_of([content], box="/CropBox [50 50 550 750]"))
    assert document.text == "A long line that goes on behind the right edge\nshown\n"


@pytest.mark.parametrize(
    ("turn", "first", "second"),
    [
        (0, "1 0 0 1 72 700", "1 0 0 1 72 680"),
        (90, "0 1 -1 0 100 72", "0 1 -1 0 120 72"),
        (180, "-1 0 0 -1 500 100", "-1 0 0 -1 500 120"),
        (270, "0 -1 1 0 500 700", "0 -1 1 0 480 700"),
    ],
)
def test_turned_pages_read_as_others(turn: int, first: str, second: str) -> None:
    content = f"BT /F0 12 Tf {first} Tm (Turned pages are) Tj ET BT /F0 12 Tf {second} Tm (read as others) Tj ET"
    assert read(pdf_of([content], box=f"/Rotate {turn}")).text == "Turned pages are\nread as others\n"


def test_a_page_of_very_many_characters_is_read_as_it_is() -> None:
    row = "many words " * 20
    content = "".join(f"BT /F0 1 Tf 1 {799 - number / 2} Td ({number} {row}) Tj ET\n" for number in range(1_200))
    assert read(pdf_of([content])).text.count("many words") == 24_000


def test_lines_of_a_turned_page_end_where_its_reader_sees_them_end() -> None:
    lines = ["Turned pages", "have lines too", "and a last one"]
    content = "".join(
        f"BT /F0 12 Tf 0 1 -1 0 {100 + 20 * number} 72 Tm ({text}) Tj ET\n" for number, text in enumerate(lines)
    )
    assert read(pdf_of([content], box="/Rotate 90")).text.splitlines() == lines


def test_what_is_raised_beside_a_single_letter_stays_with_it() -> None:
    content = "BT /F0 12 Tf 72 600 Td (maps R) Tj /F0 9 Tf 4 Ts (n) Tj 0 Ts /F0 12 Tf ( to itself) Tj ET"
    assert read(pdf_of([content])).text == "maps Rn to itself\n"


def test_text_written_downwards_is_read_column_by_column_from_the_right() -> None:
    first, second = "縦書きの文章です", "次の行もある"
    pairs = dict(enumerate(first + second, 40))
    codes = [f"{number:04x}" for number in pairs]
    content = f"BT /F1 20 Tf 500 700 Td <{''.join(codes[: len(first)])}> Tj ET\n"
    content += f"BT /F1 20 Tf 470 700 Td <{''.join(codes[len(first) :])}> Tj ET"
    font = composite_font(first_of_more(1, 2), to_unicode=True, embedded=True).replace("Identity-H", "Identity-V")
    data = pdf_of([content], [HELVETICA, font], [vera(), unicode_map(pairs)])
    assert read(data).text.splitlines() == [first, second]


def test_a_form_that_draws_itself_is_drawn_once() -> None:
    inside = b"BT /F0 12 Tf 72 650 Td (Inside) Tj ET /X Do"
    kinds = b"/Type /XObject /Subtype /Form /BBox [0 0 600 800]"
    resources = b"/Resources << /Font << /F0 5 0 R >> /XObject << /X 6 0 R >> >>"
    form = b"<< %b %b /Length %d >>\nstream\n%b\nendstream" % (kinds, resources, len(inside), inside)
    data = pdf_of([show("Before the loop", 72, 700) + "/X Do"], more=[form])
    page = b"/Resources << /Font << /F0 5 0 R >> >> /Contents"
    assert data.count(page) == 1
    document = read(data.replace(page, resources + b" /Contents"))
    assert document.text == "Before the loop\nInside\n"


@needs_corpus
@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("s-habibi.pdf", "حَبيبي"),
        ("x-letter-by-letter.pdf", "row 0 of page 0 has letters placed one by one"),
        ("p-indirect-rotation.pdf", "China Ocean Shipping (Group) Company"),
        ("l-issue-912.pdf", "193 DT.16.12.2015 RICE PAYMENT"),
        ("j-ThuluthFeatures.pdf", "Islamic"),
        ("j-vertical.pdf", "あいうえお\n日本語"),
        ("c-rotated_page.pdf", "\nMedicare payroll taxes 188 203 214"),
        ("l-federal-register-2020-17221.pdf", "1 Preliminary"),
    ],
)
def test_real_pages_that_plain_extraction_spoils_have_their_words(file: str, words: str) -> None:
    assert words in read((SHARED / "files/pdf" / file).read_bytes()).text
