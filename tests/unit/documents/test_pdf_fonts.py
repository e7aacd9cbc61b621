"""Fonts of PDFs: what their characters mean, rubbish where nobody can know, the second engine, Arabic."""

from __future__ import annotations

import threading

import pytest

from docshelf.documents import Document, parse
from docshelf.documents.tiling import tiles
from docshelf.errors import EmptyDocumentError
from docshelf.settings import Limits
from tests.support.made_pdfs import (
    HELVETICA,
    composite_font,
    first_of_more,
    numbers,
    pdf_of,
    show,
    stream,
    unicode_map,
    vera,
)

COMPOSITE = first_of_more(1, 2)


def read(data: bytes) -> Document:
    document = parse(data, "made.pdf", Limits())
    assert tiles(document.blocks, len(document.text))
    return document


def test_right_to_left_words_that_one_glyph_stands_for_keep_their_order() -> None:
    content = "BT /F0 20 Tf 72 700 Td (habibi ) Tj /F1 20 Tf <00010002> Tj ET"
    mapped = unicode_map({1: "حبيبي", 2: " "})
    data = pdf_of([content], [HELVETICA, composite_font(COMPOSITE, to_unicode=True)], [b"null", mapped])
    assert read(data).text == "habibi حبيبي\n"


def test_arabic_presentation_forms_become_letters() -> None:
    mapped = unicode_map({1: "\ufee1", 2: "\ufefc", 3: "\ufeb3"})  # drawn from left to right: meem, lam-alef, seen
    data = pdf_of(
        ["BT /F1 20 Tf 72 700 Td <000100020003> Tj ET"],
        [HELVETICA, composite_font(COMPOSITE, to_unicode=True)],
        [b"null", mapped],
    )
    assert read(data).text == "سلام\n"


def test_a_text_layer_of_numbers_without_meaning_is_empty_and_asks_for_ocr() -> None:
    with pytest.raises(EmptyDocumentError, match=r"rubbish .* run OCR"):
        read(pdf_of([numbers("some text", -0x150)], [HELVETICA, composite_font(COMPOSITE)]))


def test_lines_that_can_be_read_stay_and_the_page_is_named() -> None:
    content = show("A readable line", 72, 740) + numbers("and thirty letters in rubbish ones", -0x150)
    document = read(pdf_of([content], [HELVETICA, composite_font(COMPOSITE)]))
    assert document.text == "A readable line\n"
    (warning,) = document.warnings
    assert warning.startswith("Page 1: text was left out, as the fonts do not tell which characters they draw; run OCR")


def test_characters_that_only_the_font_file_explains_are_read_by_the_second_engine() -> None:
    font = composite_font(COMPOSITE, embedded=True)
    data = pdf_of([numbers("Islamic ligature", 29)], [HELVETICA, font], [vera()])
    assert read(data).text == "Islamic ligature\n"


def test_the_second_engine_is_left_out_where_no_timer_can_stop_it() -> None:
    font = composite_font(COMPOSITE, embedded=True)
    data = pdf_of([numbers("Islamic ligature", 29)], [HELVETICA, font], [vera()])
    states: list[str] = []

    def elsewhere() -> None:
        with pytest.raises(EmptyDocumentError) as caught:
            read(data)
        states.append(caught.value.code)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert states == ["empty"]


def test_bullets_of_symbol_fonts_are_bullets() -> None:
    content = "BT /F1 12 Tf 72 700 Td <0042> Tj /F0 12 Tf ( first of the points on the list) Tj ET"
    font = composite_font(COMPOSITE, to_unicode=True, embedded=True)
    data = pdf_of([content], [HELVETICA, font], [vera(), unicode_map({0x42: "\uf0b7"})])
    assert read(data).text == "• first of the points on the list\n"


def test_a_second_engine_that_fails_changes_nothing() -> None:
    font = composite_font(COMPOSITE, embedded=True)
    data = pdf_of([numbers("Islamic ligature", 29)], [HELVETICA, font], [stream(b"\x00\x01\x00\x00no font")])
    with pytest.raises(EmptyDocumentError, match="rubbish"):
        read(data)
