"""Form fields and notes of PDFs: what was filled in stands where it was, what was noted at the end of its page."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pypdf
import pytest
from pypdf.annotations import AnnotationDictionary, FreeText, Highlight, Text
from pypdf.generic import ArrayObject, FloatObject, NameObject, NumberObject, TextStringObject
from reportlab.pdfgen.canvas import Canvas

from docshelf.documents import Document, parse
from docshelf.documents.tiling import tiles
from docshelf.settings import Limits
from tests.support.made_pdfs import filled_form

SHARED = Path(__file__).parents[3] / "../shared/corpus"
BOX = (72, 500, 200, 520)


def read(data: bytes) -> Document:
    document = parse(data, "made.pdf", Limits())
    assert tiles(document.blocks, len(document.text))
    return document


def form(draw: Callable[[Canvas], None]) -> bytes:
    written = io.BytesIO()
    canvas = Canvas(written)
    draw(canvas)
    canvas.showPage()
    canvas.save()
    return written.getvalue()


def noted(*annotations: AnnotationDictionary, words: str = "Some words") -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(form(lambda canvas: canvas.drawString(72, 700, words))))
    for annotation in annotations:
        writer.add_annotation(0, annotation)
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def test_a_field_stands_behind_the_words_on_its_line() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "Name")
        canvas.drawString(320, 700, "Born")
        canvas.drawString(72, 600, "The end")
        canvas.acroForm.textfield(name="b", value="1815", x=360, y=695, width=60, height=18)
        canvas.acroForm.textfield(name="a", value="Ada Lovelace", x=110, y=695, width=120, height=18)

    assert read(form(draw)).text == "Name Ada Lovelace Born 1815\nThe end\n"


def test_a_field_below_its_words_stands_below_them() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "Remarks")
        canvas.drawString(72, 500, "The end")
        canvas.acroForm.textfield(
            name="a", value="first line\nsecond line", x=72, y=640, width=300, height=55, fieldFlags="multiline"
        )

    assert read(form(draw)).text == "Remarks\nfirst line\nsecond line\nThe end\n"


def test_a_field_far_from_any_words_stands_at_the_end_of_its_page_behind_what_it_is_called() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "Some words")
        canvas.acroForm.textfield(name="a", tooltip="Your town", value="Ely", x=72, y=200, width=100, height=18)
        canvas.acroForm.textfield(name="b", tooltip="Empty", value="", x=72, y=100, width=100, height=18)

    document = read(form(draw))
    assert document.text == "Some words\n\nYour town: Ely\n"
    assert [block.page for block in document.blocks] == [1, 1]


def test_checked_boxes_and_chosen_options_are_told() -> None:
    def draw(canvas: Canvas) -> None:
        fields = canvas.acroForm
        for number, (words, checked) in enumerate([("Single", False), ("Married", True)]):
            canvas.drawString(100, 700 - 40 * number, words)
            fields.checkbox(name=words, checked=checked, x=72, y=697 - 40 * number, size=14)
        canvas.drawString(72, 620, "Country")
        fields.choice(name="c", value="Malta", options=["Malta", "Chad"], x=130, y=615, width=90, height=18)
        for number, words in enumerate(["Sea", "Land"]):
            canvas.drawString(100, 580 - 40 * number, words)
            fields.radio(name="way", value=words, selected=words == "Land", x=72, y=577 - 40 * number, size=14)
        canvas.drawString(72, 480, "Ports")
        fields.listbox(name="l", value="B", options=[("Bari", "B"), ("Cork", "C")], x=130, y=475, width=90, height=20)

    assert read(form(draw)).text == "Single\n[x] Married\nCountry Malta\nSea\n[x] Land\nPorts Bari\n"


def test_a_checked_box_far_from_any_words_is_told_by_its_name() -> None:
    assert read(filled_form()).text == "| Item | Sum |\n| Nuts | 12 |\n\nYour name: Ada\nyes: [x]\nA note\n"


def test_a_password_and_a_hidden_field_are_left_out() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "Name")
        canvas.acroForm.textfield(name="p", value="hunter2", x=110, y=695, width=90, height=18, fieldFlags="password")
        canvas.acroForm.textfield(name="h", value="unseen", x=310, y=695, width=90, height=18, annotationFlags="hidden")

    assert read(form(draw)).text == "Name\n"


def test_a_page_of_nothing_but_fields_is_not_empty() -> None:
    data = form(lambda canvas: canvas.acroForm.textfield(name="a", value="Ely", x=72, y=200, width=100, height=18))
    assert read(data).text == "Ely\n"


def test_notes_and_free_text_stand_at_the_end_of_their_page_each_once() -> None:
    free = FreeText(text="Written\ron the page", rect=BOX)
    sticky = Text(text="Ask the harbour master", rect=BOX)
    marked = Highlight(
        rect=BOX, quad_points=ArrayObject([FloatObject(n) for n in (72, 520, 200, 520, 72, 500, 200, 500)])
    )
    marked[NameObject("/Contents")] = TextStringObject("Ask the harbour master")
    unseen = Text(text="unseen", rect=BOX)
    unseen[NameObject("/F")] = NumberObject(2)
    document = read(noted(free, sticky, marked, unseen))
    assert document.text == "Some words\n\nWritten\non the page\nAsk the harbour master\n"
    assert document.warnings == ()


def test_notes_beyond_the_bound_are_cut_and_told_of() -> None:
    document = read(noted(Text(text="word " * 10_000, rect=BOX)))
    assert 15_000 < len(document.text) < 25_000
    assert document.warnings == ("Page 1: not all notes and form fields were read, as there are too many.",)


def test_marks_of_tables_in_a_note_make_no_table() -> None:
    assert read(noted(Text(text="\ufdd0a\ufdd4b", rect=BOX))).text == "Some words\n\nab\n"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared corpus is not beside the repository")
@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("j-annotation-freetext.pdf", "FreeText"),
        ("j-prefilled_f1040.pdf", "foobar"),
        ("s-annotated_pdf.pdf", "annotation"),
    ],
)
def test_fields_and_notes_of_real_files_are_read(file: str, words: str) -> None:
    assert words in read((SHARED / "files/pdf" / file).read_bytes()).text
