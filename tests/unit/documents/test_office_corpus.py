"""Office files as they are found in the world, where the corpus is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from docshelf.documents import Document, parse
from docshelf.errors import EmptyDocumentError
from docshelf.settings import Limits

CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus"

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the shared corpus of documents is not on this machine")


def read(name: str) -> Document:
    return parse((CORPUS / name).read_bytes(), name, Limits())


@pytest.mark.parametrize(
    ("name", "media_type", "words"),
    [
        ("docsmcp-sample.pptx", "pptx", "# Presentation Title Text\n\nSubtitle Text"),
        ("markitdown-pptx_complex_layout.pptx", "pptx", "# Product Comparison\n\nOur products lead the market"),
        ("markitdown-test.epub", "epub", "# Chapter 2: More Content"),
        ("markitdown-test.rtf", "rtf", "# This is a Sample RTF File"),
        ("markitdown-test_mskanji.csv", "csv", "名前,年齢,住所\n佐藤太郎,30,東京"),
        ("markitdown-test_rss.xml", "code", "<rss"),
        ("markitdown-xlsx_multiple_images.xlsx", "xlsx", "# Details\n\nDetailed Metrics"),
        ("self-wide.tsv", "csv", "col398\tcol399"),
    ],
)
def test_each_format_is_read(name: str, media_type: str, words: str) -> None:
    document = read(f"files/office/{name}")
    assert document.media_type == media_type
    assert words in document.text


def test_slides_of_pictures_without_a_description_are_empty() -> None:
    with pytest.raises(EmptyDocumentError):
        read("files/office/markitdown-pptx_multiple_images.pptx")


def test_an_error_value_in_a_chart_does_not_lose_the_deck() -> None:
    document = read("bugs/37-pptx-chart-na.pptx")
    assert document.title == "Latency by region"
    assert "Speaker notes:\nAsk about the US spike." in document.text
    assert document.warnings == ("A chart on slide 1 has values that are no numbers.",)


def test_the_picture_in_a_notebooks_output_is_a_short_note() -> None:
    document = read("bugs/38-ipynb-base64.ipynb")
    assert document.text == "# Shard sizing\n\n```\nplot(x)\n```\n\n```\n(picture)\n```\n"


def test_a_line_of_three_million_characters_is_cut_at_its_entries() -> None:
    document = read("files/text/long-line.json")
    assert document.text.startswith('{\n "k": "')
