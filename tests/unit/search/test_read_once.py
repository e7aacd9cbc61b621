"""Reading chunks for one search."""

from __future__ import annotations

from docshelf.index.filters import EVERYTHING
from docshelf.search.read_once import ReadOnce
from docshelf.search.retrieval import rank
from tests.unit.search.made_up import Lists, Words


def test_no_chunk_is_read_twice() -> None:
    index = Lists(texts={"a": "one", "b": "two"})
    reader = ReadOnce(index)
    rows = [ord("a"), ord("b")]
    assert {chunk.text for chunk in reader.chunks_at(rows[:1]).values()} == {"one"}
    assert list(reader.chunks_at(rows)) == rows
    assert reader.chunks_at([]) == {}
    assert index.read == rows


def test_a_search_through_it_is_that_of_the_index() -> None:
    index = Lists(vector="ab", text="bc", phrases={"blue label": "c"})
    assert rank(ReadOnce(index), Words(), '"blue label"', 5, EVERYTHING) == rank(
        index, Words(), '"blue label"', 5, EVERYTHING
    )
