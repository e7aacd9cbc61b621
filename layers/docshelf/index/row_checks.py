"""Rows of a document that are checked: whether they are those of the records that they come with."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from docshelf.index.identity import IndexIdentity
from docshelf.index.records import DocumentRecord, PreparedDocument, chunk_id
from docshelf.index.rows import PreparedRows, chunk_of, chunks_table
from docshelf.index.schema import chunks_schema
from docshelf.states import State

_LENGTH_TOLERANCE = 1e-3


def prepared_rows(document: PreparedDocument, identity: IndexIdentity) -> PreparedRows:
    """`document` as rows for an index of `identity`.

    Raises:
        ValueError: the document is not consistent in itself, or a vector does not fit.
    """
    chunks = [chunk for each in (document, *document.members) for chunk in each.chunks]
    for chunk in chunks:
        chunk.source.encode()  # a lone surrogate raises UnicodeEncodeError, a ValueError
    if any(member.members for member in document.members):
        raise ValueError("a member has members of its own")
    schema = chunks_schema(identity.to_metadata(), identity.dimension)
    rows = chunks_table(chunks, schema, identity.dimension)
    prepared = PreparedRows(document.record, rows, tuple(member.record for member in document.members))
    check_rows(prepared, schema)
    return prepared


def check_rows(prepared: PreparedRows, schema: pa.Schema) -> None:
    """Refuse rows that are not those of their records.

    Raises:
        ValueError: the records and their rows contradict each other, or the rows have other columns than `schema`.
    """
    record, rows = prepared.record, prepared.rows
    if not rows.schema.equals(schema):
        raise ValueError("chunks have other columns than the index")
    if record.key != record.source or record.members != len(prepared.members):
        raise ValueError("a document does not name itself as its key, or counts other members than it comes with")
    if len({each.source for each in prepared.records}) != len(prepared.records):
        raise ValueError("a source occurs twice in one document")
    check_required(rows)
    start = 0
    for each in prepared.records:
        if each.key != record.key or each.collection != record.collection or (each.members and each is not record):
            raise ValueError("a member names another key or collection than what holds it, or members of its own")
        _check_rows_of(each, rows.slice(start, max(each.chunks, 0)))
        start += each.chunks
    if start != rows.num_rows:
        raise ValueError(f"a document says it has {start} chunks and comes with {rows.num_rows}")
    if rows.num_rows:
        _check_vectors(np.stack(rows["vector"].to_numpy()))


def _check_rows_of(record: DocumentRecord, rows: pa.Table) -> None:
    """Refuse `rows` that are not the chunks of this one record; raises ValueError."""
    record.source.encode()  # a lone surrogate raises UnicodeEncodeError, a ValueError
    if not record.source:
        raise ValueError("a source has no name")
    if record.chunks != rows.num_rows:
        raise ValueError(f"a document says it has {record.chunks} chunks and comes with {rows.num_rows}")
    if not rows.num_rows:
        return
    if record.state is not State.INDEXED:
        raise ValueError(f"a document with chunks is {record.state.value!r}")
    for column in ("source", "key", "collection", "version"):
        if pc.unique(rows[column]).to_pylist() != [getattr(record, column)]:
            raise ValueError("a chunk names another source, key, collection or version than its document")
    columns = [rows[name].to_pylist() for name in ("ordinal", "chunk_id", "stored")]
    for place, (ordinal, name, stored) in enumerate(zip(*columns, strict=True)):
        chunk = chunk_of(stored)
        told = (chunk.source, chunk.collection, chunk.version, chunk.ordinal)
        if ordinal != place or name != chunk_id(record.source, place):
            raise ValueError(f"chunk {ordinal} stands at place {place}")
        if told != (record.source, record.collection, record.version, place):
            raise ValueError(f"chunk {place} stores what belongs to another")


def _check_vectors(vectors: NDArray[np.float32]) -> None:
    if not np.isfinite(vectors).all():
        raise ValueError("a vector holds a number that is not finite")
    if (np.abs(np.linalg.norm(vectors, axis=1) - 1) > _LENGTH_TOLERANCE).any():
        raise ValueError("a vector is not of unit length")


def check_required(table: pa.Table) -> None:
    """Refuse nulls where the schema allows none.

    Raises:
        ValueError: there is one.
    """
    for field, column in zip(table.schema, table.columns, strict=True):
        if not field.nullable and column.null_count:
            raise ValueError(f"the column {field.name} has no value in a row")
