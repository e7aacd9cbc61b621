"""The chunker: its chunks tile the text, stay within their size, and say where they are from."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from docshelf.chunking import Chunk, ChunkSizes, chunk_document
from docshelf.documents.model import Block, Document, Kind

SIZES = ChunkSizes(text=12, context=10, characters=200)


class WordTokenizer:
    """A token is a run of letters and digits, or one other visible character."""

    def offsets(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        spans = [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]
        both = np.asarray(spans, np.int64).reshape(-1, 2)
        return both[:, 0], both[:, 1]


TOKENIZER = WordTokenizer()


def count(text: str) -> int:
    return len(TOKENIZER.offsets(text)[0])


def document(*parts: tuple[Kind, str], headings: tuple[str, ...] = (), title: str = "Title") -> Document:
    blocks, position = [], 0
    for kind, text in parts:
        blocks.append(Block(kind, position, position + len(text), headings))
        position += len(text)
    return Document(title, "".join(text for _, text in parts), tuple(blocks), "text/plain", source_lines=True)


def chunks_of(doc: Document, sizes: ChunkSizes = SIZES) -> list[Chunk]:
    return chunk_document(doc, TOKENIZER, sizes)


texts = st.text(st.sampled_from("ab .,\n\t-|é中👍\u0301\u200d\u2028;"), max_size=300)
kinds = st.sampled_from([Kind.PARAGRAPH, Kind.CODE, Kind.LIST, Kind.TABLE, Kind.QUOTE])


@st.composite
def trees(draw: st.DrawFn) -> Document:
    blocks: list[Block] = []
    text = ""
    for kind, headings, page in draw(
        st.lists(st.tuples(kinds, st.sampled_from([("A",), ("A", "B"), ("C",)]), st.integers(1, 3)), max_size=6)
    ):
        start, children = len(text), []
        for part in draw(st.lists(texts.filter(bool), min_size=1, max_size=4)):
            children.append(Block(Kind.LIST_ITEM, len(text), len(text) + len(part), headings, page))
            text += part
        nested = tuple(children) if draw(st.booleans()) else ()
        opening, closing = ("```x\n", "```\n") if kind is Kind.CODE else ("", "")
        blocks.append(Block(kind, start, len(text), headings, page, None, nested, opening, closing))
    return Document("T", text, tuple(blocks), "text/plain")


@settings(max_examples=100, deadline=None)
@given(trees())
def test_chunks_joined_in_order_are_the_text(doc: Document) -> None:
    chunks = chunks_of(doc)
    assert "".join(chunk.text for chunk in chunks) == doc.text
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert all(doc.text[chunk.start : chunk.end] == chunk.text for chunk in chunks)


@settings(max_examples=100, deadline=None)
@given(trees())
def test_no_chunk_is_larger_than_its_bounds(doc: Document) -> None:
    for chunk in chunks_of(doc):
        assert count(chunk.text) - 1 <= chunk.tokens <= count(chunk.text)  # a word cut in two counts once
        assert chunk.tokens <= SIZES.text
        assert len(chunk.text.strip()) <= SIZES.characters
        assert count(chunk.embedded_text) <= SIZES.text + SIZES.context + 1


@settings(max_examples=100, deadline=None)
@given(trees())
def test_every_chunk_shows_something_and_cites_the_lines_it_shows(doc: Document) -> None:
    chunks = chunks_of(doc)
    if not doc.text.strip():
        assert len(chunks) <= 1
        return
    lines = doc.text.split("\n")
    for chunk in chunks:
        assert chunk.text.strip()
        shown = "\n".join(lines[chunk.first_line - 1 : chunk.last_line])
        assert chunk.text.strip() in shown
        assert lines[chunk.first_line - 1].strip() or chunk.text.strip()[0].isspace()


@settings(max_examples=60, deadline=None)
@given(trees())
def test_a_chunk_never_crosses_a_page(doc: Document) -> None:
    for chunk in chunks_of(doc):
        pages = {
            block.page
            for block in doc.blocks
            if block.start < chunk.end and chunk.start < block.end
            if doc.text[max(block.start, chunk.start) : min(block.end, chunk.end)].strip()
        }
        assert pages <= {chunk.page}


@given(st.lists(st.sampled_from(["a\u0301", "中", "👍\u200d👍", "a"]), min_size=1, max_size=300))
def test_a_cut_never_parts_a_mark_from_its_letter(characters: list[str]) -> None:
    text = "".join(characters)
    chunks = chunks_of(document((Kind.PARAGRAPH, text)), ChunkSizes(text=5, context=5, characters=40))
    assert "".join(chunk.text for chunk in chunks) == text
    assert not any(chunk.text[0] in "\u0301\u200d" or chunk.text[-1] == "\u200d" for chunk in chunks)


def test_an_empty_text_has_no_chunks() -> None:
    assert chunks_of(document()) == []


def test_a_short_section_is_one_chunk_with_its_heading_path() -> None:
    doc = document((Kind.HEADING, "# Guide\n"), (Kind.PARAGRAPH, "Two words.\n"), headings=("Guide",))
    (chunk,) = chunks_of(doc)
    assert chunk.headings == ("Guide",)
    assert (chunk.first_line, chunk.last_line) == (1, 2)


def test_sections_are_not_merged_so_that_citations_stay_exact() -> None:
    text = ["# A\n", "one\n", "# B\n", "two\n"]
    blocks = [
        Block(Kind.HEADING, 0, 4, ("A",)),
        Block(Kind.PARAGRAPH, 4, 8, ("A",)),
        Block(Kind.HEADING, 8, 12, ("B",)),
        Block(Kind.PARAGRAPH, 12, 16, ("B",)),
    ]
    chunks = chunks_of(Document("T", "".join(text), tuple(blocks), "text/markdown"))
    assert [(chunk.headings, chunk.text) for chunk in chunks] == [(("A",), "# A\none\n"), (("B",), "# B\ntwo\n")]


def test_a_heading_without_text_joins_its_first_subsection() -> None:
    blocks = [
        Block(Kind.HEADING, 0, 4, ("A",)),
        Block(Kind.HEADING, 4, 9, ("A", "B")),
        Block(Kind.PARAGRAPH, 9, 13, ("A", "B")),
    ]
    (chunk,) = chunks_of(Document("T", "# A\n## B\none\n", tuple(blocks), "text/markdown"))
    assert chunk.headings == ("A", "B")


def test_a_section_that_is_cut_is_cut_into_even_chunks() -> None:
    sentences = "".join(f"Word{n} one two three.\n" for n in range(6))
    sizes = [chunk.tokens for chunk in chunks_of(document((Kind.PARAGRAPH, sentences)))]
    assert sizes == [10, 10, 10]


def test_prose_is_cut_between_sentences() -> None:
    chunks = chunks_of(document((Kind.PARAGRAPH, "One two three four five six. Seven eight nine ten eleven twelve.")))
    assert [chunk.text for chunk in chunks] == ["One two three four five six. ", "Seven eight nine ten eleven twelve."]


def test_chinese_prose_is_cut_between_sentences() -> None:
    sizes = ChunkSizes(text=2, context=2, characters=100)
    chunks = chunks_of(document((Kind.PARAGRAPH, "备份每天运行。失败时报警。")), sizes)
    assert [chunk.text for chunk in chunks] == ["备份每天运行。", "失败时报警。"]


def test_a_list_is_cut_between_its_items() -> None:
    items = [f"- item {n} with a few words\n" for n in range(4)]
    starts = [sum(len(item) for item in items[:n]) for n in range(4)]
    children = tuple(Block(Kind.LIST_ITEM, start, start + len(item)) for start, item in zip(starts, items, strict=True))
    text = "".join(items)
    doc = Document("T", text, (Block(Kind.LIST, 0, len(text), children=children),), "text/markdown")
    assert [chunk.text for chunk in chunks_of(doc)] == items


@pytest.fixture
def long_fence() -> Document:
    body = "".join(f"    call_{n}(a, b)\n" for n in range(6))
    text = f"```python\n{body}```\n"
    block = Block(Kind.CODE, 0, len(text), ("Use",), opening="```python\n", closing="```\n")
    return Document("T", text, (block,), "text/markdown")


def test_a_fence_longer_than_a_chunk_is_cut_at_lines_and_reopened(long_fence: Document) -> None:
    chunks = chunks_of(long_fence)
    assert len(chunks) > 1
    assert "".join(chunk.text for chunk in chunks) == long_fence.text
    for chunk in chunks:
        assert chunk.shown_text.startswith("```python\n")
        assert chunk.shown_text.endswith("```\n")
        assert chunk.shown_text.count("```") == 2
        assert chunk.text.endswith("\n")


def test_a_table_longer_than_a_chunk_repeats_its_header_row() -> None:
    header = "| key | value |\n|---|---|\n"
    rows = [f"| k{n} | v{n} |\n" for n in range(8)]
    lines = [*header.splitlines(keepends=True), *rows]
    starts = [sum(len(line) for line in lines[:n]) for n in range(len(lines))]
    children = tuple(Block(Kind.TABLE_ROW, start, start + len(line)) for start, line in zip(starts, lines, strict=True))
    text = "".join(lines)
    doc = Document("T", text, (Block(Kind.TABLE, 0, len(text), children=children, opening=header),), "text/markdown")
    chunks = chunks_of(doc, ChunkSizes(text=24, context=24, characters=500))
    assert len(chunks) > 1
    assert all("| key | value |" in chunk.shown_text and "| key | value |" in chunk.embedded_text for chunk in chunks)
    assert all(chunk.shown_text.count("| key | value |") == 1 for chunk in chunks)


def test_the_model_sees_title_heading_path_and_the_end_of_the_text_before() -> None:
    text = "Alpha beta gamma delta one two. Epsilon zeta eta theta three four five."
    sizes = ChunkSizes(text=12, context=6, characters=200)
    first, second = chunks_of(document((Kind.PARAGRAPH, text), headings=("Title", "Part")), sizes)
    assert first.embedded_text == "Title\nPart\nAlpha beta gamma delta one two."
    assert second.embedded_text == "Title\nPart\ndelta one two.\nEpsilon zeta eta theta three four five."


def test_a_long_title_and_heading_path_leave_room_for_the_text() -> None:
    words = " ".join(f"w{n}" for n in range(100))
    doc = document((Kind.PARAGRAPH, "Body text."), headings=(words, "Deepest"), title=words)
    (chunk,) = chunk_document(doc, TOKENIZER, ChunkSizes())
    assert chunk.embedded_text.endswith("Deepest\nBody text.")
    assert count(chunk.embedded_text) < 60


def test_a_word_without_end_is_cut_by_characters() -> None:
    chunks = chunks_of(document((Kind.PARAGRAPH, "x" * 1_000)))
    assert [len(chunk.text) for chunk in chunks] == [200] * 5


def test_blank_blocks_belong_to_their_neighbours() -> None:
    doc = document((Kind.PARAGRAPH, " \n"), (Kind.PARAGRAPH, "text\n"), (Kind.PARAGRAPH, "\n\n"))
    (chunk,) = chunks_of(doc)
    assert chunk.text == doc.text
    assert (chunk.first_line, chunk.last_line) == (2, 2)


def test_a_text_of_white_space_is_one_chunk() -> None:
    (chunk,) = chunks_of(document((Kind.PARAGRAPH, " \n"), (Kind.CODE, "\n")))
    assert chunk.text == " \n\n"


def test_a_million_words_on_one_line_are_cut_quickly_enough_to_finish() -> None:
    chunks = chunks_of(document((Kind.PARAGRAPH, "word " * 1_000_000)), ChunkSizes())
    assert len(chunks) == 5_000
