"""Ranked chunks become passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.chunking import ChunkSizes, chunk_document
from docshelf.documents.markup.markdown import parse_markdown
from docshelf.embedding.embedder import Embedder
from docshelf.index.records import StoredChunk
from docshelf.mcp_server.shelf import Passage
from docshelf.search import passages as ours
from docshelf.search.retrieval import RankedRow
from docshelf.search.runs import LONGEST_PASSAGE_CHUNKS
from tests.unit.search.made_up import MOMENT, chunk


@dataclass(slots=True)
class Stored:
    """Ranked chunks, best first, and the rows that were loaded of them, a list for each time."""

    chunks: dict[int, StoredChunk]
    loads: list[list[int]] = field(default_factory=list)

    def load(self, rows: Sequence[int]) -> dict[int, StoredChunk]:
        self.loads.append(list(rows))
        return {row: self.chunks[row] for row in rows}


def ranked(*chunks: StoredChunk) -> Stored:
    """The chunks as a ranking; those of one document lie in neighbouring rows, as in an index."""
    return Stored({1_000 * ord(one.source[0]) + one.ordinal + 100 * int(one.version): one for one in chunks})


def passages(stored: Stored, limit: int) -> tuple[Passage, ...]:
    rows = [RankedRow(row, 1 - place / 400) for place, row in enumerate(stored.chunks)]
    return ours.passages(rows, stored.load, limit)


def places(found: tuple[Passage, ...]) -> list[tuple[str, tuple[int, int] | None]]:
    return [(passage.source, passage.lines) for passage in found]


def test_a_passage_carries_what_a_citation_needs() -> None:
    (passage,) = passages(ranked(chunk(3)), 5)
    assert passage == Passage(
        source="a.md",
        title="Title",
        text="first of 3\nsecond of 3",
        score=1.0,
        lines=(7, 8),
        headings=("Part",),
        indexed_at=MOMENT,
        modified_at=MOMENT,
    )


def test_a_document_without_a_title_goes_by_its_key() -> None:
    assert passages(ranked(replace(chunk(0), title=None)), 5)[0].title == "a.md"


def test_nothing_ranked_gives_no_passages() -> None:
    assert passages(ranked(), 5) == ()


@pytest.mark.parametrize("order", [(4, 5), (5, 4)])
def test_neighbours_are_one_passage_in_the_order_of_the_document(order: tuple[int, int]) -> None:
    (passage,) = passages(ranked(*map(chunk, order)), 5)
    assert passage.text == "first of 4\nsecond of 4\nfirst of 5\nsecond of 5"
    assert passage.lines == (9, 12)
    assert passage.score == 1.0


@pytest.mark.parametrize(
    "other",
    [
        replace(chunk(5), headings=("Part", "Section")),
        replace(chunk(5), page=2),
        replace(chunk(5), version="2"),
        chunk(5, source="b.md"),
        chunk(6),
    ],
    ids=["heading", "page", "version", "document", "not a neighbour"],
)
def test_what_does_not_belong_together_stays_apart(other: StoredChunk) -> None:
    found = passages(ranked(chunk(4), other), 5)
    assert [passage.text for passage in found] == [
        "first of 4\nsecond of 4",
        other.text.rstrip("\n"),
    ]


def test_a_passage_takes_three_chunks_at_most() -> None:
    found = passages(ranked(*map(chunk, range(5))), 5)
    assert places(found) == [("a.md", (1, 6)), ("a.md", (7, 10))]


def test_a_neighbour_is_joined_even_when_the_answer_is_full() -> None:
    found = passages(ranked(chunk(0), chunk(9, source="b.md"), chunk(20, source="c.md"), chunk(1)), 2)
    assert places(found) == [("a.md", (1, 4)), ("b.md", (19, 20))]


@pytest.mark.parametrize(("limit", "most"), [(1, 1), (5, 1), (10, 2), (20, 4)])
def test_one_document_gives_at_most_a_fifth_of_the_passages_where_others_answer_too(limit: int, most: int) -> None:
    flood = [chunk(2 * place) for place in range(limit)]
    others = [chunk(0, source=f"{chr(98 + place)}.md") for place in range(limit)]
    found = passages(ranked(*flood, *others), limit)
    assert [passage.source for passage in found].count("a.md") == most
    assert len(found) == limit


def test_one_document_fills_the_answer_when_nothing_else_answers() -> None:
    found = passages(ranked(*(chunk(2 * place) for place in range(6)), chunk(0, source="b.md")), 5)
    assert len(found) == 5
    assert sum(passage.source == "a.md" for passage in found) == 4


def test_a_neighbour_that_is_much_worse_is_not_joined() -> None:
    rows = [RankedRow(0, 1.0), RankedRow(1, 0.85), RankedRow(5, 0.5)]
    stored = {0: chunk(0), 1: chunk(1), 5: chunk(5, source="b.md")}
    found = ours.passages(rows, lambda wanted: {row: stored[row] for row in wanted}, 5)
    assert places(found) == [("a.md", (1, 2)), ("a.md", (3, 4)), ("b.md", (11, 12))]


def test_a_chunk_that_had_to_wait_is_joined_to_its_neighbour() -> None:
    flood = [chunk(10 * place) for place in range(3)]
    found = passages(ranked(*flood, chunk(30), chunk(31), chunk(0, source="b.md")), 5)
    assert ("a.md", (61, 64)) in places(found)


def test_only_what_the_passages_need_is_loaded_and_what_lies_beside_it() -> None:
    far = [chunk(0, source=f"{name}.md") for name in "bcdefghijklmnop"]
    stored = ranked(chunk(10), *far, chunk(11), chunk(40))
    found = passages(stored, 5)
    assert places(found)[0] == ("a.md", (21, 24))
    assert [len(load) for load in stored.loads] == [9]


@pytest.mark.parametrize("order", [(9, 8), (8, 9), (11, 12), (12, 11)])
def test_two_neighbours_on_one_side_are_joined_although_the_answer_is_full(order: tuple[int, int]) -> None:
    far = [chunk(0, source=f"{name}.md") for name in "bcdefghijklmnop"]
    (first, *_) = passages(ranked(chunk(10), *far, *map(chunk, order)), 5)
    assert first.text.count("first of") == 3


def test_more_is_loaded_until_the_passages_are_full_and_nothing_twice() -> None:
    stored = ranked(*(chunk(3 * place) for place in range(12)), chunk(0, source="b.md"), chunk(0, source="c.md"))
    found = passages(stored, 4)
    assert [passage.source for passage in found] == ["a.md", "a.md", "b.md", "c.md"]
    loaded = [row for load in stored.loads for row in load]
    assert len(loaded) == len(set(loaded)) == 14


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 12)), unique=True, max_size=25),
    st.integers(1, 8),
)
def test_passages_are_best_first_and_hold_no_chunk_twice(hits: list[tuple[str, int]], limit: int) -> None:
    found = passages(ranked(*(chunk(ordinal, source=source) for source, ordinal in hits)), limit)
    assert len(found) <= limit
    scores = [passage.score for passage in found]
    assert scores == sorted(scores, reverse=True)
    lines = [
        (passage.source, line)
        for passage in found
        if passage.lines
        for line in range(passage.lines[0], passage.lines[1] + 1)
    ]
    assert len(lines) == len(set(lines))
    assert all(2 <= passage.text.count("\n") + 1 <= 2 * LONGEST_PASSAGE_CHUNKS for passage in found)
    if hits:
        assert found[0].source == hits[0][0]


@pytest.mark.parametrize(
    ("line_kind", "page", "lines", "text_lines"),
    [
        ("source", None, (5, 6), None),
        ("text", None, None, (5, 6)),
        ("text", 3, None, None),
    ],
)
def test_lines_are_those_of_the_file_or_of_the_text_and_pages_have_none(
    line_kind: str, page: int | None, lines: tuple[int, int] | None, text_lines: tuple[int, int] | None
) -> None:
    one = replace(chunk(2), line_kind="source" if line_kind == "source" else "text", page=page)
    (passage,) = passages(ranked(one), 1)
    assert (passage.lines, passage.text_lines, passage.page) == (lines, text_lines, page)


def test_a_chunk_without_lines_has_none() -> None:
    (passage,) = passages(ranked(replace(chunk(2), first_line=None, last_line=None)), 1)
    assert (passage.lines, passage.text_lines) == (None, None)


def test_blank_lines_around_a_passage_are_left_out_and_indentation_stays() -> None:
    (passage,) = passages(ranked(chunk(0, "\n \n    indented\n\n  more  \n\n")), 1)
    assert passage.text == "    indented\n\n  more"


def chunks_of(markdown: str, embedder: Embedder, tokens: int) -> list[StoredChunk]:
    """The document's real chunks, small ones."""
    document = parse_markdown(markdown, "a.md")
    return [
        replace(
            chunk(one.ordinal, one.text),
            headings=one.headings,
            opening=one.opening,
            closing=one.closing,
            first_line=one.first_line,
            last_line=one.last_line,
        )
        for one in chunk_document(document, embedder.tokenizer, ChunkSizes(text=tokens, context=10))
    ]


CODE = "".join(f"    call_number({number}, 'some text')\n" for number in range(12))
TABLE = "".join(f"| row {number} | value of row {number} |\n" for number in range(12))


def test_a_cut_code_block_is_shown_with_its_fences_however_it_is_joined(embedder: Embedder) -> None:
    parts = chunks_of(f"# Head\n\nBefore it.\n\n```python\n{CODE}```\n\nBehind it.\n", embedder, 40)
    inside = [one.ordinal for one in parts if one.opening and one.closing]
    assert len(inside) >= 2
    for length in range(1, LONGEST_PASSAGE_CHUNKS + 1):
        for first in range(len(parts) - length + 1):
            run = parts[first : first + length]
            (passage,) = passages(ranked(*run), 1)
            fences = [line for line in passage.text.split("\n") if line.startswith("```")]
            assert fences in ([], ["```python", "```"])
            lines = [line for line in "".join(one.text for one in run).split("\n") if "call_number" in line]
            assert [line for line in passage.text.split("\n") if "call_number" in line] == lines
            assert passage.lines == (run[0].first_line, run[-1].last_line)


def test_a_cut_table_is_shown_with_its_header_row_once(embedder: Embedder) -> None:
    parts = chunks_of(f"# Head\n\nBefore it.\n\n| Name | Value |\n|---|---|\n{TABLE}\nBehind it.\n", embedder, 40)
    assert sum(bool(one.opening) for one in parts) >= 2
    for length in range(1, LONGEST_PASSAGE_CHUNKS + 1):
        for first in range(len(parts) - length + 1):
            run = parts[first : first + length]
            (passage,) = passages(ranked(*run), 1)
            lines = passage.text.split("\n")
            rows = [line for line in lines if line.startswith("| row")]
            assert rows == [line for line in "".join(one.text for one in run).split("\n") if line.startswith("| row")]
            if rows:
                header = lines.index("| Name | Value |")
                assert lines[header + 1] == "|---|---|"
                assert lines[header + 2] == rows[0]
            assert lines.count("| Name | Value |") == bool(rows)
