"""PDFs of publicly reported kinds of fault, and damaged ones: a document or a state, never a crash."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docshelf.documents import Document
from docshelf.documents.sandbox.process import ParserProcess
from docshelf.documents.tiling import tiles
from docshelf.errors import DocumentError, ParserEndedError, ParseTimeoutError
from docshelf.settings import Limits
from tests.support.made_pdfs import HELVETICA, composite_font, filled_form, first_of_more, pdf_of, unicode_map, vera

SHARED = Path(__file__).parents[3] / "../shared/corpus"
needs_corpus = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared corpus is not beside the repository")
LIMITS = Limits(parse_seconds=20, parse_memory_mb=500)
EXAMPLES = 150
Changes = list[tuple[int, int]]


@pytest.fixture(scope="module")
def child() -> Iterator[ParserProcess]:
    with ParserProcess(LIMITS) as process:
        yield process


def bug(child: ParserProcess, number: str) -> Document:
    (file,) = SHARED.glob(f"bugs/{number}-*.pdf")
    return child.parse(file.read_bytes(), file.name)


@needs_corpus
def test_a_word_kerned_far_apart_stays_one_word(child: ParserProcess) -> None:
    assert bug(child, "02").text.split() == ["Postoperative", "stabismus", "review"]


@needs_corpus
def test_a_form_that_draws_itself_is_read_once(child: ParserProcess) -> None:
    text = bug(child, "04").text
    assert (text.count("Before the loop"), text.count("Inside")) == (1, 1)


@needs_corpus
def test_an_outline_in_a_circle_is_cut_and_told_of(child: ParserProcess) -> None:
    document = bug(child, "05")
    assert document.text.strip()
    assert any("outline" in warning for warning in document.warnings)


@needs_corpus
def test_facts_are_cited_by_pages_counted_from_one(child: ParserProcess) -> None:
    document = bug(child, "10")
    pages = {block.page: document.text[block.start : block.end] for block in document.blocks}
    assert "amber" in pages[1]
    assert "cobalt" in pages[3]


@needs_corpus
def test_printed_page_numbers_stand_beside_the_real_ones(child: ParserProcess) -> None:
    assert [(block.page, block.page_label) for block in bug(child, "11").blocks] == [(1, "i"), (2, "ii"), (3, "1")]


@needs_corpus
def test_forty_thousand_repetitions_are_read_within_the_limits(child: ParserProcess) -> None:
    assert "Figure 2" in bug(child, "12").text


@needs_corpus
def test_words_hyphenated_over_lines_can_be_found(child: ParserProcess) -> None:
    text = bug(child, "13").text
    assert all(word in text for word in ("coordinator", "configuration", "re-election"))


@cache
def sound() -> tuple[bytes, ...]:
    """Files of several kinds to be damaged."""
    parts = first_of_more(1, 2)
    line = "BT /F0 12 Tf 72 700 Td (Some words on a page) Tj ET BT /F1 12 Tf 72 600 Td <002b0048004f004f0052> Tj ET"
    made = [
        pdf_of([line], [HELVETICA, composite_font(parts, embedded=True)], [vera()]),
        pdf_of([line], [HELVETICA, composite_font(parts, to_unicode=True)], [b"null", unicode_map({0x2B: "سلام"})]),
        filled_form(),
        pdf_of(["BT /F0 12 Tf 72 700 Td (One) Tj ET", "BT /F0 12 Tf 72 700 Td (Two) Tj ET"]),
    ]
    return (*made, *(file.read_bytes() for file in sorted(SHARED.glob("bugs/*.pdf")) if file.stat().st_size < 100_000))


def attempt(child: ParserProcess, data: bytes) -> None:
    """Parse within the limits; whatever becomes of it, the process neither ends by itself nor has to be ended."""
    failed: DocumentError | None = None
    try:
        document = child.parse(data, "damaged.pdf")
    except DocumentError as error:
        failed = error
    else:
        assert tiles(document.blocks, len(document.text))
    assert not isinstance(failed, ParserEndedError | ParseTimeoutError)
    assert failed is None or "ended" not in failed.sentence


def test_names_that_are_no_text_are_left_out(child: ParserProcess) -> None:
    half = "<feff0041d8000041>"
    entries = [
        b"<< /First 7 0 R /Last 7 0 R /Count 1 >>",
        f"<< /Title {half} /Parent 6 0 R /Dest [3 0 R /Fit] >>".encode(),
        f"<< /Title {half} /Subject {half} >>".encode(),
    ]
    data = pdf_of(["BT /F0 12 Tf 72 700 Td (Some words) Tj ET"], more=entries)
    labels = f"/Outlines 6 0 R /PageLabels << /Nums [0 << /P {half} >>] >>".encode()
    data = data.replace(b"/Pages 2 0 R >>", b"/Pages 2 0 R " + labels + b" >>")
    document = child.parse(data.replace(b"/Root 1 0 R", b"/Root 1 0 R /Info 8 0 R"), "damaged.pdf")
    assert (document.text, document.title, document.blocks[0].headings) == ("Some words\n", "damaged", ())


@given(which=st.integers(0, 50), changes=st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 255)), max_size=30))
@settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)
def test_changed_bytes_end_in_a_document_or_a_state(child: ParserProcess, which: int, changes: Changes) -> None:
    data = bytearray(sound()[which % len(sound())])
    for place, value in changes:
        data[place % len(data)] = value
    attempt(child, bytes(data))


@given(which=st.integers(0, 50), cuts=st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 400)), max_size=5))
@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
def test_missing_and_doubled_parts_end_in_a_document_or_a_state(
    child: ParserProcess, which: int, cuts: Changes
) -> None:
    data = sound()[which % len(sound())]
    for number, (place, length) in enumerate(cuts):
        start = place % max(1, len(data))
        part = data[start : start + length]
        data = data[:start] + (2 * part if number % 2 else b"") + data[start + length :]
    attempt(child, data)


@given(content=st.text(st.characters(max_codepoint=0xFF), max_size=300), turn=st.sampled_from([0, 90, 180, 270, 7]))
@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
def test_any_content_of_a_page_ends_in_a_document_or_a_state(child: ParserProcess, content: str, turn: int) -> None:
    shown = f"BT /F0 12 Tf 72 700 Td (shown) Tj ET {content}"
    attempt(child, pdf_of([shown], [HELVETICA, HELVETICA], box=f"/Rotate {turn}"))
