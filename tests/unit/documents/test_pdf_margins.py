"""What PDF pages repeat at their edges: kept in the text, left out of what is embedded."""

from __future__ import annotations

import io
import re

import numpy as np
from numpy.typing import NDArray
from reportlab.pdfgen.canvas import Canvas

from docshelf.chunking import chunk_document
from docshelf.documents import Document, Kind, parse
from docshelf.documents.tiling import tiles
from docshelf.settings import Limits
from tests.support.made_pdfs import pdf_of, show


class WordTokenizer:
    """A token for each word."""

    def offsets(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        spans = [match.span() for match in re.finditer(r"\S+", text)]
        return np.array([start for start, _ in spans], np.int64), np.array([end for _, end in spans], np.int64)


def read(data: bytes) -> Document:
    document = parse(data, "made.pdf", Limits())
    assert tiles(document.blocks, len(document.text))
    return document


def with_margins(pages: int) -> bytes:
    written = io.BytesIO()
    canvas = Canvas(written)
    for page, fact in enumerate(["amber", "cobalt", "jade", "opal", "ruby"][:pages], 1):
        canvas.drawString(72, 800, "The stone handbook")
        canvas.drawString(72, 700, f"The {fact} fact stands on its own page.")
        canvas.drawString(72, 40, f"Confidential, page {page} of {pages}")
        canvas.showPage()
    canvas.save()
    return written.getvalue()


def test_what_pages_repeat_at_their_edges_is_kept_in_the_text_and_left_out_of_what_is_embedded() -> None:
    document = read(with_margins(5))
    assert document.text.count("The stone handbook") == 5
    kinds = [(block.kind, document.text[block.start : block.end].strip()) for block in document.blocks[:3]]
    assert kinds == [
        (Kind.MARGIN, "The stone handbook"),
        (Kind.PARAGRAPH, "The amber fact stands on its own page."),
        (Kind.MARGIN, "Confidential, page 1 of 5"),
    ]
    chunks = chunk_document(document, WordTokenizer())
    assert "".join(chunk.text for chunk in chunks) == document.text
    assert chunks[1].embedded_text == "made\nThe cobalt fact stands on its own page."


def test_two_pages_are_too_few_to_tell_a_margin() -> None:
    assert {block.kind for block in read(with_margins(2)).blocks} == {Kind.PARAGRAPH}


def test_a_page_of_margins_only_is_embedded_all_the_same() -> None:
    pages = [show("Left blank on purpose", 72, 700)] * 4
    chunks = chunk_document(read(pdf_of(pages)), WordTokenizer())
    assert [chunk.embedded_text for chunk in chunks] == ["made\nLeft blank on purpose"] * 4
