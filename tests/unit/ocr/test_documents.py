"""A recognised text as a document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.documents.model import Kind
from docshelf.documents.tiling import tiles
from docshelf.errors import EmptyDocumentError
from docshelf.ocr.documents import document_of
from docshelf.ocr.reading import Recognised

PAGES = st.lists(st.text("ab \n", max_size=30).map(str.strip), min_size=1, max_size=12)


@given(PAGES.filter(any))
def test_blocks_tile_the_text_and_name_the_pages(pages: list[str]) -> None:
    made = document_of(Recognised(tuple(pages), 90.0), "a/scan 7.pdf", "pdf")
    assert tiles(made.blocks, len(made.text))
    assert made.pages == len(pages)
    for page, text in enumerate(pages, 1):
        of_page = [made.text[block.start : block.end] for block in made.blocks if block.page == page]
        assert "".join(of_page).strip() == text


def test_what_pages_repeat_at_their_edges_is_no_part_of_their_text() -> None:
    words = ("Pumps were sold.", "Valves leaked.", "Nobody was hurt.", "Prices fell.", "Costs rose.")
    pages = tuple(f"Annual report\n{text}\nPage {number}" for number, text in enumerate(words, 1))
    made = document_of(Recognised(pages, 90.0), "report.tiff", "tiff")
    body = [made.text[block.start : block.end].strip() for block in made.blocks if block.kind is Kind.PARAGRAPH]
    assert body == [*words]
    assert (made.title, made.media_type) == ("report", "tiff")


def test_pages_without_a_word_make_no_document() -> None:
    with pytest.raises(EmptyDocumentError) as caught:
        document_of(Recognised(("", " \n"), 100.0), "scan.pdf", "pdf")
    assert caught.value.pages == 2
