"""Presentations: slides as pages, reading order, lists, tables, charts, notes."""

from __future__ import annotations

import pytest

from docshelf.documents import Document, Kind, parse
from docshelf.errors import DocumentTooLargeError, EmptyDocumentError, ParseFailedError
from docshelf.settings import Limits
from tests.support.office_files import (
    flat_open_document,
    open_document_parts,
    package,
    presentation_parts,
    relations,
    shape,
    slide,
)

CHART = (
    '<p:graphicFrame><p:nvGraphicFramePr/><a:graphic><a:graphicData><c:chart xmlns:c="c" r:id="rId1"/></a:graphicData>'
    "</a:graphic></p:graphicFrame>"
)


def read(data: bytes, key: str = "deck.pptx", limits: Limits | None = None) -> Document:
    return parse(data, key, limits or Limits())


def text_of(*shapes: str) -> str:
    return read(package(presentation_parts(["".join(shapes)]))).text


def test_slides_are_pages_under_their_titles() -> None:
    slides = [shape("Loans", holder="ctrTitle"), shape("No title here"), shape("Rates", holder="title") + shape("4 %")]
    document = read(package(presentation_parts(slides)))
    assert document.text == "# Loans\n\nNo title here\n\n# Rates\n\n4 %\n"
    assert [(block.page, block.headings) for block in document.blocks] == [
        (1, ("Loans",)), (2, ()), (3, ("Rates",)), (3, ("Rates",)),
    ]  # fmt: skip
    assert (document.pages, document.title, document.media_type) == (3, "Loans", "pptx")


def test_slides_that_are_numbered_from_another_number_carry_it_as_their_label() -> None:
    document = read(package(presentation_parts([shape("a"), shape("b")], attributes='firstSlideNum="10"')))
    assert [(block.page, block.page_label) for block in document.blocks] == [(1, "10"), (2, "11")]


def test_text_boxes_are_read_from_top_to_bottom_and_left_to_right() -> None:
    boxes = [("4", (500, 910)), ("3", (0, 900)), ("2", (500, 95)), ("1", (0, 100))]
    assert text_of(*(shape(text, place=place) for text, place in boxes)) == "1\n\n2\n\n3\n\n4\n"


def test_the_title_comes_first_and_the_shapes_of_a_group_stay_together() -> None:
    position = '<p:grpSpPr><a:xfrm><a:off x="0" y="500"/><a:ext cx="9" cy="9"/></a:xfrm></p:grpSpPr>'
    group = f"<p:grpSp>{position}{shape('in 1', place=(0, 1))}{shape('in 2', place=(0, 9000))}</p:grpSp>"
    shapes = (group, shape("last", place=(0, 700)), shape("first", place=(0, 1)), shape("Title", holder="title"))
    assert text_of(*shapes) == "# Title\n\nfirst\n\nin 1\n\nin 2\n\nlast\n"


def test_dates_footers_and_slide_numbers_are_left_out() -> None:
    assert text_of(*(shape("x", holder=holder) for holder in ("dt", "ftr", "sldNum")), shape("Text")) == "Text\n"


def test_paragraphs_of_a_body_are_a_list_with_its_levels() -> None:
    body = (
        '<p:sp><p:nvSpPr><p:nvPr><p:ph idx="1"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:p><a:r><a:t>One</a:t></a:r>'
        '</a:p><a:p><a:pPr lvl="1"/><a:r><a:t>Two</a:t></a:r><a:br/><a:fld type="date"><a:t>2024</a:t></a:fld></a:p>'
        "<a:p/>"
        "<a:p><a:pPr><a:buAutoNum/></a:pPr><a:r><a:t>Three</a:t></a:r></a:p></p:txBody></p:sp>"
    )
    document = read(package(presentation_parts([body])))
    assert document.text == "- One\n  - Two\n    2024\n1. Three\n"
    assert document.blocks[0].kind is Kind.LIST


def test_a_table_repeats_its_header_and_what_a_merged_cell_holds() -> None:
    def row(*cells: str) -> str:
        return f"<a:tr>{''.join(cells)}</a:tr>"

    def cell(text: str, more: str = "") -> str:
        return f"<a:tc {more}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    rows = (
        row(cell("Bank"), cell("Town")) + row(cell("North"), cell("Kiel")) + row(cell("", 'vMerge="1"'), cell("Husum"))
    )
    table = f'<a:tbl><a:tblPr firstRow="1"/>{rows}</a:tbl>'
    frame = f"<p:graphicFrame><a:graphic><a:graphicData>{table}</a:graphicData></a:graphic></p:graphicFrame>"
    document = read(package(presentation_parts([frame])))
    assert document.text == "| Bank | Town |\n| North | Kiel |\n| North | Husum |\n"
    assert document.blocks[0].opening == "| Bank | Town |\n"


def test_a_charts_data_are_rows_and_values_that_are_no_numbers_are_told() -> None:
    parts = presentation_parts([CHART])
    parts["ppt/slides/_rels/slide1.xml.rels"] = relations({"rId1": ("chart", "../charts/chart1.xml")})
    series = (
        "<c:ser><c:tx><c:v>p99</c:v></c:tx>"
        "<c:cat><c:pt idx='0'><c:v>EU</c:v></c:pt><c:pt idx='1'><c:v>US</c:v></c:pt></c:cat>"
        "<c:val><c:pt idx='0'><c:v>120.0</c:v></c:pt><c:pt idx='1'><c:v>#N/A</c:v></c:pt></c:val></c:ser>"
    )
    parts["ppt/charts/chart1.xml"] = f'<c:chartSpace xmlns:c="c"><c:chart>{series}</c:chart></c:chartSpace>'
    document = read(package(parts))
    assert document.text == "Chart\n\n|  | p99 |\n| EU | 120 |\n| US | #N/A |\n"
    assert document.warnings == ("A chart on slide 1 has values that are no numbers.",)


def test_a_damaged_chart_or_slide_does_not_lose_the_others() -> None:
    parts = presentation_parts([CHART + shape("Text"), "", shape("More")])
    parts["ppt/slides/_rels/slide1.xml.rels"] = relations({"rId1": ("chart", "../charts/chart1.xml")})
    parts["ppt/charts/chart1.xml"] = "<broken"
    parts["ppt/slides/slide2.xml"] = "<broken"
    document = read(package(parts))
    assert document.text == "Text\n\nMore\n"
    assert len(document.warnings) == 2


def test_speaker_notes_follow_their_slide_and_are_marked() -> None:
    parts = presentation_parts([shape("Rates", holder="title")])
    parts["ppt/slides/_rels/slide1.xml.rels"] = relations({"rId1": ("notesSlide", "../notesSlides/notesSlide1.xml")})
    parts["ppt/notesSlides/notesSlide1.xml"] = slide(
        shape("7", holder="sldNum") + shape("Ask Ada.", "Then go.", holder="body")
    )
    document = read(package(parts))
    assert document.text == "# Rates\n\nSpeaker notes:\nAsk Ada.\nThen go.\n"
    assert document.blocks[1].page == 1


def test_a_pictures_description_is_read_unless_a_program_wrote_it() -> None:
    def picture(description: str) -> str:
        return f'<p:pic><p:nvPicPr><p:cNvPr id="1" descr="{description}"/></p:nvPicPr></p:pic>'

    assert (
        text_of(picture("Map of the harbour"), picture("image1.png"), shape("x"))
        == "Picture: Map of the harbour\n\nx\n"
    )


def test_a_hidden_slide_is_read_with_a_warning() -> None:
    parts = presentation_parts([""])
    parts["ppt/slides/slide1.xml"] = slide(shape("Kept back"), attributes='show="0"')
    assert read(package(parts)).warnings == ("Slide 1 is hidden in the presentation; it was read too.",)


def test_limits_hold() -> None:
    with pytest.raises(DocumentTooLargeError, match="DOCSHELF_MAX_PAGES"):
        read(package(presentation_parts([shape("a"), shape("b")])), limits=Limits(max_pages=1))
    with pytest.raises(DocumentTooLargeError, match="DOCSHELF_MAX_CHARACTERS"):
        read(package(presentation_parts([shape("word " * 30)])), limits=Limits(max_characters=100))
    with pytest.raises(EmptyDocumentError):
        read(package(presentation_parts([""])))
    with pytest.raises(ParseFailedError, match="missing"):
        read(package({"[Content_Types].xml": "<Types/>", "ppt/slides/slide1.xml": slide(shape("a"))}))


def frame(text: str, holder: str, top: str) -> str:
    box = f"<draw:text-box><text:p>{text}</text:p></draw:text-box>"
    return f'<draw:frame presentation:class="{holder}" svg:y="{top}" svg:x="1cm">{box}</draw:frame>'


ODP = (
    f"<draw:page>{frame('Below', 'outline', '9cm')}{frame('Above', 'subtitle', '5cm')}{frame('Rates', 'title', '20cm')}"
    f"<draw:g>{frame('Grouped', 'outline', '12in')}</draw:g>{frame('7', 'page-number', '1cm')}"
    f"<presentation:notes>{frame('Ask Ada.', 'notes', '1cm')}</presentation:notes></draw:page>"
)


@pytest.mark.parametrize(
    "data", [package(open_document_parts("presentation", ODP)), flat_open_document("presentation", ODP)]
)
def test_an_open_document_presentation_is_read_packed_or_flat(data: bytes) -> None:
    document = read(data, "deck.odp")
    assert document.text == "# Rates\n\nAbove\n\nBelow\n\nGrouped\n\nSpeaker notes:\nAsk Ada.\n"
    assert (document.media_type, document.pages, document.blocks[0].page) == ("odp", 1, 1)
