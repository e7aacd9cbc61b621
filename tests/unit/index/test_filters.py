from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lancedb import connect
from lancedb.index import Bitmap, BTree
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
    values = ["a", "?", "\ufffd", "\ufffdx"]
    assert _matching(table, values, one_of("source", ["\ud800", "\udfffx"])) == []
    assert _matching(table, values, one_of("source", ["\ud800", "a"])) == ["a"]
    assert _matching(table, values, starting_with("source", "\udfff")) == []
    assert _matching(table, values, "source = " + literal("\ud800")) == ["\ufffd"]


NASTY = [
    "",
    "'",
    "''",
    "\\'",
    "\\",
    "\\\\",
    "' OR 1=1 --",
    "') OR (true",
    "'; DROP TABLE chunks; --",
    "--",
    "/* */",
    '"',
    "`",
    "%",
    "_",
    "a%b_",
    "$1",
    "?",
    ":name",
    "{}",
    "E'\\n'",
    "U&'\\0041'",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "a\0b",
    "\u2028",
    "\u202e",
    "\ufeff",
    "e\u0301",
    "é",
    "👩‍👩‍👧",
    "\U0010ffff",
    "null",
    "NULL",
    "1",
    "x" * 10_000,
    "'" * 10_000,
    "é😀\n" * 3_000,
]
"""Texts that some dialect of SQL reads as more than text, and long ones."""


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """`NASTY` as keys and as collections, with indexes as those of the real tables: a filter may take either path."""
    rows = pa.table({"source": NASTY, "collection": NASTY[::-1]})
    made = connect(tmp_path_factory.mktemp("indexed")).create_table("t", rows)
    made.create_index("source", config=BTree())
    made.create_index("collection", config=Bitmap())
    return made


def _found(table: Table, where: str) -> list[str]:
    found: list[str] = table.search().where(where).to_arrow().column("source").to_pylist()
    return sorted(found)


@pytest.mark.parametrize("value", NASTY, ids=lambda value: ascii(value[:12]))
def test_a_nasty_text_is_a_value_and_nothing_more(indexed: Table, value: str) -> None:
    other = NASTY[::-1][NASTY.index(value)]
    assert _found(indexed, f"source = {literal(value)}") == [value]
    assert _found(indexed, f"source > {literal(value)}") == sorted(text for text in NASTY if text > value)
    assert _found(indexed, one_of("source", [value])) == [value]
    assert _found(indexed, one_of("collection", [value])) == [other]
    assert _found(indexed, starting_with("source", value)) == sorted(text for text in NASTY if text.startswith(value))
    assert _found(indexed, condition(Filters((value,), other)) or "") == [other]
    assert _found(indexed, f"({one_of('source', [value])}) AND (false)") == []


def test_all_nasty_texts_stand_side_by_side_in_one_condition(indexed: Table) -> None:
    assert _found(indexed, condition(Filters(tuple(NASTY))) or "") == sorted(NASTY)


@settings(max_examples=150, deadline=None)
@given(ANY_TEXT | st.text(max_size=20), ANY_TEXT | st.text(max_size=20))
def test_no_text_opens_what_the_rest_of_a_condition_closes(indexed: Table, one: str, other: str) -> None:
    expected = sorted(text for text in NASTY if text == one)
    assert _found(indexed, one_of("source", [one])) == expected
    both = condition(Filters((one, other), one)) or ""
    inside = (text for text, name in zip(NASTY, NASTY[::-1], strict=True) if name in {one, other})
    assert _found(indexed, both) == sorted(text for text in inside if text.startswith(one))
    assert _found(indexed, joined(both, f"source = {literal(other)}", "false") or "") == []


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
