from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lancedb import connect
from lancedb.table import Table

from docshelf.index.filters import Filters, condition, joined, literal, one_of, starting_with
from docshelf.index.records import chunk_id

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.text("'\"\\%_\0#-;*/ é😀", max_size=12)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    schema = pa.schema([pa.field("source", pa.string())])
    return connect(tmp_path_factory.mktemp("filters")).create_table("t", schema=schema)


def _matching(table: Table, values: list[str], where: str) -> list[str]:
    table.add(pa.table({"source": values}), mode="overwrite")
    found: list[str] = table.search().where(where).to_arrow().column("source").to_pylist()
    return sorted(found)


@settings(max_examples=60, deadline=None)
@given(st.lists(ANY_TEXT, min_size=1, max_size=6, unique=True), st.data())
def test_any_value_finds_itself_and_nothing_else(table: Table, values: list[str], data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.sampled_from(values), min_size=1, unique=True))
    assert _matching(table, values, one_of("source", wanted)) == sorted(wanted)


@settings(max_examples=60, deadline=None)
@given(st.lists(ANY_TEXT, min_size=1, max_size=6, unique=True), ANY_TEXT.filter(bool))
def test_a_prefix_finds_what_starts_with_it_literally(table: Table, values: list[str], prefix: str) -> None:
    values = list(dict.fromkeys([*values, prefix + values[0]]))
    expected = sorted(value for value in values if value.startswith(prefix))
    assert _matching(table, values, starting_with("source", prefix)) == expected


@pytest.mark.parametrize("prefix", ["\ud7ff", "a\U0010ffff", "\U0010ffff\U0010ffff", "100%", "a_", "it's"])
def test_prefixes_at_the_edges_of_unicode_and_of_sql(table: Table, prefix: str) -> None:
    values = [prefix, prefix + "x", prefix + "\U0010ffff", "b", "axb", "\ue000", "100"]
    expected = sorted(value for value in values if value.startswith(prefix))
    assert _matching(table, values, starting_with("source", prefix)) == expected


def test_no_value_matches_nothing(table: Table) -> None:
    assert _matching(table, ["a"], one_of("source", [])) == []


def test_a_lone_surrogate_is_no_error_and_matches_nothing(table: Table) -> None:
    assert _matching(table, ["a", "?"], one_of("source", ["\ud800"])) == []
    assert _matching(table, ["a", "?"], starting_with("source", "\udfff")) == []


def test_filters_become_one_condition() -> None:
    assert condition(Filters()) is None
    assert condition(Filters((), "")) == "(false)"
    assert condition(Filters(("it's", "b"))) == "(collection IN ('it''s', 'b'))"
    assert joined(None, "a", "b OR c") == "(a) AND (b OR c)"
    assert literal("x' OR 'a' = 'a") == "'x'' OR ''a'' = ''a'"


@given(
    st.tuples(st.text("a#01", max_size=12), st.integers(0, 10**8 - 1)),
    st.tuples(st.text("a#01", max_size=12), st.integers(0, 10**8 - 1)),
)
def test_distinct_chunks_have_distinct_ids(one: tuple[str, int], other: tuple[str, int]) -> None:
    assert (chunk_id(*one) == chunk_id(*other)) == (one == other)


@given(st.integers(0, 10**8 - 2))
def test_ids_of_a_document_sort_by_ordinal(ordinal: int) -> None:
    assert chunk_id("a#1", ordinal) < chunk_id("a#1", ordinal + 1)


@pytest.mark.parametrize("ordinal", [-1, 10**8])
def test_an_ordinal_out_of_range_has_no_id(ordinal: int) -> None:
    with pytest.raises(ValueError, match="an ordinal is"):
        chunk_id("a", ordinal)
