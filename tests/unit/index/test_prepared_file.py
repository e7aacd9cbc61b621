"""A prepared file gives back what was put in, or is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docshelf.index.identity import IndexIdentity
from docshelf.index.prepared_file import prepared_file_bytes, read_prepared_file
from docshelf.index.records import DocumentRecord, PreparedDocument
from docshelf.index.row_checks import prepared_rows
from docshelf.quality.record import Problem, Quality
from docshelf.states import State
from tests.unit.index.made_up import DIMENSION, make, with_members

IDENTITY = IndexIdentity("small-model", "a" * 64, "b" * 64, DIMENSION, "cls", "find: ", "", 512, 256, "1", "2")

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20) | st.sampled_from(["it's\0", "é😀"])
SHARES = st.floats(0, 1)
QUALITIES = st.builds(
    Quality,
    st.integers(0, 2**40),
    SHARES,
    SHARES,
    SHARES,
    st.none() | TEXT,
    st.integers(0, 9),
    st.integers(0, 9),
    st.lists(st.sampled_from(Problem), unique=True).map(tuple),
)
TIMES = st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  given a zone


@st.composite
def documents(draw: st.DrawFn, key: str) -> PreparedDocument:
    texts = draw(st.lists(TEXT, max_size=4))
    made = make(key, texts, version=draw(TEXT), title=draw(st.none() | TEXT))
    state = State.INDEXED if texts else draw(st.sampled_from(State))
    record = replace(
        made.record,
        state=state,
        reason=draw(st.none() | TEXT),
        retryable=draw(st.booleans()),
        pages=draw(st.none() | st.integers(0, 2**31 - 1)),
        bytes=draw(st.integers(0, 2**63 - 1)),
        line_kind=draw(st.sampled_from([None, "source", "text"])),
        modified_at=draw(st.none() | TIMES),
        indexed_at=draw(TIMES),
        warnings=tuple(draw(st.lists(TEXT, max_size=2))),
        quality=draw(st.none() | QUALITIES),
    )
    numbers = st.floats(allow_nan=False, allow_infinity=False, width=32).filter(bool)
    vectors = [np.full(DIMENSION, draw(numbers), dtype=np.float32) for _ in texts]
    chunks = zip(made.chunks, vectors, strict=True)
    own = PreparedDocument(record, tuple(replace(chunk, vector=vector) for chunk, vector in chunks))
    names = draw(st.lists(KEYS, max_size=2, unique=True))
    return with_members(own, *(make(f"{key}!/{name}", draw(st.lists(TEXT, max_size=2))) for name in names))


@st.composite
def entries(draw: st.DrawFn) -> list[tuple[str, str | None, PreparedDocument | None]]:
    keys = draw(st.lists(KEYS, max_size=4, unique=True))
    return [(key, draw(st.none() | TEXT), draw(st.none() | documents(key))) for key in keys]


@settings(max_examples=80, deadline=None)
@given(entries())
def test_what_is_written_is_read(written: list[tuple[str, str | None, PreparedDocument | None]]) -> None:
    read = read_prepared_file(prepared_file_bytes(IDENTITY, written))
    assert read.identity == IDENTITY
    assert len(read.entries) == len(written)
    for entry, (key, version, document) in zip(read.entries, written, strict=True):
        assert (entry.key, entry.object_version) == (key, version)
        if document is None:
            assert entry.document is None
        else:
            expected = prepared_rows(document, IDENTITY)
            assert entry.document is not None
            assert entry.document.record == document.record
            assert entry.document.rows.equals(expected.rows)
            assert entry.document.rows.schema.equals(expected.rows.schema, check_metadata=True)


def test_a_time_comes_back_in_utc() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, 678901, timezone(timedelta(hours=2)))
    document = make("a.md")
    document = replace(document, record=replace(document.record, modified_at=moment))
    (entry,) = read_prepared_file(prepared_file_bytes(IDENTITY, [("a.md", "1", document)])).entries
    assert entry.document is not None
    assert entry.document.record.modified_at == moment
    assert str(entry.document.record.modified_at) == "2026-01-02 01:04:05.678901+00:00"


@pytest.fixture(scope="module")
def written() -> bytes:
    return prepared_file_bytes(
        IDENTITY, [("a.md", "v1", make("a.md", ["one", "two"])), ("b.md", None, None), ("c.md", "v2", make("c.md"))]
    )


@settings(max_examples=200, deadline=None)
@given(place=st.integers(0), bit=st.integers(0, 7))
def test_any_damaged_bit_is_noticed(written: bytes, place: int, bit: int) -> None:
    damaged = bytearray(written)
    damaged[place % len(written)] ^= 1 << bit
    with pytest.raises(ValueError, match="damaged"):
        read_prepared_file(bytes(damaged))


@settings(max_examples=100, deadline=None)
@given(length=st.integers(0))
def test_a_part_of_a_file_and_more_than_a_file_are_refused(written: bytes, length: int) -> None:
    for data in (written[: length % len(written)], written + b"x", b"x" + written):
        with pytest.raises(ValueError, match="damaged"):
            read_prepared_file(data)


def _forged(written: bytes, change: Callable[[pa.Table, list[Any]], pa.Table]) -> bytes:
    """The file with other rows or entries, and a digest that fits."""
    rows = pa.ipc.open_file(pa.py_buffer(written[64:])).read_all()
    metadata = dict(rows.schema.metadata)
    told = json.loads(metadata[b"docshelf:entries"])
    rows = change(rows, told)
    metadata[b"docshelf:entries"] = json.dumps(told).encode()
    rows = rows.replace_schema_metadata(metadata)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, rows.schema) as writer:
        writer.write_table(rows)
    return _sealed(written, sink.getvalue().to_pybytes())


def _sealed(written: bytes, body: bytes) -> bytes:
    return written[:32] + hashlib.sha256(body).digest() + body


def _with_column(name: str, values: list[object]) -> Callable[[pa.Table, list[Any]], pa.Table]:
    def change(rows: pa.Table, told: list[Any]) -> pa.Table:
        place = rows.schema.get_field_index(name)
        return rows.set_column(place, rows.schema.field(place), pa.array(values, rows.schema.field(place).type))

    return change


def _with_field(place: int, name: str, value: object) -> Callable[[pa.Table, list[Any]], pa.Table]:
    def change(rows: pa.Table, told: list[Any]) -> pa.Table:
        told[place]["documents"][0][name] = value
        return rows

    return change


def _with_stored(name: str, value: object) -> Callable[[pa.Table, list[Any]], pa.Table]:
    def change(rows: pa.Table, told: list[Any]) -> pa.Table:
        stored = [json.loads(text) | {name: value} for text in rows["stored"].to_pylist()]
        place = rows.schema.get_field_index("stored")
        return rows.set_column(place, rows.schema.field(place), pa.array(map(json.dumps, stored)))

    return change


def _with_entry(place: int, name: str, value: object) -> Callable[[pa.Table, list[Any]], pa.Table]:
    def change(rows: pa.Table, told: list[Any]) -> pa.Table:
        told[place][name] = value
        return rows

    return change


def _with_member(values: dict[str, object]) -> Callable[[pa.Table, list[Any]], pa.Table]:
    def change(rows: pa.Table, told: list[Any]) -> pa.Table:
        documents = told[2]["documents"]
        documents.append({**documents[0], **values})
        documents[0]["members"] = 1
        return rows

    return change


def _doubled(rows: pa.Table, told: list[Any]) -> pa.Table:
    told.append(told[1])
    return rows


FORGERIES = {
    "a missing row": lambda rows, told: rows.slice(0, 1),
    "a row too many": lambda rows, told: pa.concat_tables([rows, rows.slice(0, 1)]),
    "rows in another order": lambda rows, told: rows.take([1, 0]),
    "a column less": lambda rows, told: rows.drop_columns(["stored"]),
    "a column of another type": lambda rows, told: rows.set_column(3, "ordinal", rows["ordinal"].cast(pa.int64())),
    "no text": _with_column("search_text", ["one", None]),
    "nothing stored": _with_column("stored", ["{}", "{}"]),
    "no JSON stored": _with_column("stored", ["{", "}"]),
    "values of other types stored": _with_stored("headings", 3),
    "another time stored": _with_stored("indexed_at", "now"),
    "what belongs to another stored": _with_stored("source", "b.md"),
    "another source": _with_column("source", ["a.md", "b.md"]),
    "another id": _with_column("chunk_id", ["a.md#00000000", "a.md#00000002"]),
    "another version": _with_column("version", ["1", "2"]),
    "a long vector": _with_column("vector", [[1.0] * DIMENSION, [1.0] * DIMENSION]),
    "an infinite vector": _with_column("vector", [[0.0] * DIMENSION, [float("inf")] * DIMENSION]),
    "an entry twice": _doubled,
    "a document of another key": _with_entry(2, "key", "d.md"),
    "a version that is a number": _with_entry(0, "object_version", 3),
    "an entry with more": _with_entry(0, "more", 3),
    "a document that is a list": _with_entry(0, "documents", [1]),
    "no document": _with_entry(0, "documents", []),
    "a document twice": _with_member({}),
    "a member of another key": _with_member({"source": "c.md!/x", "key": "d.md"}),
    "a member with members": _with_member({"source": "c.md!/x", "members": 1}),
    "members that are not there": _with_field(2, "members", 1),
    "another key": _with_column("key", ["a.md", "b.md"]),
    "a key with half a character": _with_entry(1, "key", "\ud800"),
    "chunks of an empty document": _with_field(0, "state", "empty"),
    "an unknown state": _with_field(2, "state", "lost"),
    "fewer chunks than rows": _with_field(0, "chunks", 1),
    "chunks that are not there": _with_field(2, "chunks", 1),
    "less than no chunks": _with_field(2, "chunks", -1),
    "more chunks than a number holds": _with_field(2, "chunks", 2**70),
    "a time that is none": _with_field(2, "modified_at", "yesterday"),
    "a time that is a number": _with_field(2, "indexed_at", 3),
    "no time": _with_field(2, "indexed_at", None),
    "a flag that is a text": _with_field(2, "retryable", "no"),
    "a title that is a number": _with_field(2, "title", 3),
    "another field": _with_field(2, "more", 3),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_what_contradicts_itself_is_refused_even_with_a_fitting_digest(written: bytes, name: str) -> None:
    forged = _forged(written, FORGERIES[name])
    with pytest.raises(ValueError, match=r"."):
        read_prepared_file(forged)


def test_a_forgery_that_changes_nothing_is_read(written: bytes) -> None:
    read = read_prepared_file(_forged(written, lambda rows, told: rows))
    assert read.entries == read_prepared_file(written).entries


@pytest.mark.parametrize("body", [b"", b"no arrow file", b"ARROW1\0\0" * 10])
def test_a_digest_of_something_else_is_refused(written: bytes, body: bytes) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        read_prepared_file(_sealed(written, body))


@pytest.mark.parametrize("metadata", [{}, {b"docshelf:identity": b"{}"}, {**IDENTITY.to_metadata()}])
def test_a_file_without_identity_or_entries_is_refused(written: bytes, metadata: dict[bytes, bytes]) -> None:
    rows = pa.ipc.open_file(pa.py_buffer(written[64:])).read_all().replace_schema_metadata(metadata)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, rows.schema) as writer:
        writer.write_table(rows)
    with pytest.raises(ValueError, match=r"identity|entries"):
        read_prepared_file(_sealed(written, sink.getvalue().to_pybytes()))


def test_what_is_not_consistent_is_not_written() -> None:
    good = make("a.md", ["x"])
    for bad in (
        [("a.md", "1", good), ("a.md", None, None)],
        [("b.md", "1", good)],
        [("\ud800", None, None)],
        [("a.md", "1", replace(good, chunks=()))],
    ):
        with pytest.raises(ValueError, match=r"twice|not that of its key|surrogates|comes with 0"):
            prepared_file_bytes(IDENTITY, bad)


def test_every_field_of_a_record_is_kept(written: bytes) -> None:
    (first, _, _) = read_prepared_file(written).entries
    assert first.document is not None
    assert isinstance(first.document.record, DocumentRecord)
    assert first.document.record == make("a.md", ["one", "two"]).record
