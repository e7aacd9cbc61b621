"""Records to Arrow tables and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docshelf.index.identity import IndexIdentity
from docshelf.index.records import ChunkRecord, DocumentRecord, PreparedDocument, StoredChunk, chunk_id
from docshelf.index.schema import chunks_schema
from docshelf.states import State

Row = Mapping[str, Any]

DOCUMENT_COLUMNS = [item.name for item in fields(DocumentRecord)]
STORED_COLUMNS = [item.name for item in fields(StoredChunk)]
_PLAIN_CHUNK_COLUMNS = [item.name for item in fields(ChunkRecord) if item.name not in {"headings", "vector"}]


@dataclass(frozen=True, slots=True)
class PreparedRows:
    """A document's record and its chunks as rows of `chunks`, in order."""

    record: DocumentRecord
    rows: pa.Table


def prepared_rows(document: PreparedDocument, identity: IndexIdentity) -> PreparedRows:
    """`document` as rows for an index of `identity`.

    Raises:
        ValueError: the document is not consistent in itself, or a vector does not fit.
    """
    for chunk in document.chunks:
        chunk.source.encode()  # a lone surrogate raises UnicodeEncodeError, a ValueError
    schema = chunks_schema(identity.to_metadata(), identity.dimension)
    prepared = PreparedRows(document.record, chunks_table(document.chunks, schema, identity.dimension))
    check_rows(prepared, schema)
    return prepared


def check_rows(prepared: PreparedRows, schema: pa.Schema) -> None:
    """Refuse rows that are not those of their record.

    Raises:
        ValueError: the record and its rows contradict each other, or the rows have other columns than `schema`.
    """
    record, rows = prepared.record, prepared.rows
    record.source.encode()  # a lone surrogate raises UnicodeEncodeError, a ValueError
    if not record.source:
        raise ValueError("a source has no name")
    if not rows.schema.equals(schema):
        raise ValueError("chunks have other columns than the index")
    if record.chunks != rows.num_rows:
        raise ValueError(f"a document says it has {record.chunks} chunks and comes with {rows.num_rows}")
    if not rows.num_rows:
        return
    if record.state is not State.INDEXED:
        raise ValueError(f"a document with chunks is {record.state.value!r}")
    check_required(rows)
    for column in ("source", "collection", "version"):
        if pc.unique(rows[column]).to_pylist() != [getattr(record, column)]:
            raise ValueError("a chunk names another source, collection or version than its document")
    for place, (ordinal, name) in enumerate(
        zip(rows["ordinal"].to_pylist(), rows["chunk_id"].to_pylist(), strict=True)
    ):
        if ordinal != place or name != chunk_id(record.source, place):
            raise ValueError(f"chunk {ordinal} stands at place {place}")
    if not np.isfinite(rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)).all():
        raise ValueError("a vector holds a number that is not finite")


def check_required(table: pa.Table) -> None:
    """Refuse nulls where the schema allows none.

    Raises:
        ValueError: there is one.
    """
    for field, column in zip(table.schema, table.columns, strict=True):
        if not field.nullable and column.null_count:
            raise ValueError(f"the column {field.name} has no value in a row")


def documents_table(records: Sequence[DocumentRecord], schema: pa.Schema) -> pa.Table:
    """Rows of `documents`, one a record."""
    columns = {name: [getattr(record, name) for record in records] for name in DOCUMENT_COLUMNS}
    columns["state"] = [record.state.value for record in records]
    columns["warnings"] = [list(record.warnings) for record in records]
    return pa.table(columns, schema=schema)


def chunks_table(records: Sequence[ChunkRecord], schema: pa.Schema, dimension: int) -> pa.Table:
    """Rows of `chunks`, one a record.

    Raises:
        ValueError: a vector is not of `dimension` numbers, or holds one that is not finite.
    """
    vectors = np.empty((len(records), dimension), dtype=np.float32)
    for place, record in enumerate(records):
        if record.vector.shape != (dimension,):
            raise ValueError(f"a vector has the shape {record.vector.shape}, the index takes ({dimension},)")
        vectors[place] = record.vector
    if not np.isfinite(vectors).all():
        raise ValueError("a vector holds a number that is not finite")
    columns: dict[str, object] = {name: [getattr(record, name) for record in records] for name in _PLAIN_CHUNK_COLUMNS}
    columns["chunk_id"] = [record.chunk_id for record in records]
    columns["headings"] = [list(record.headings) for record in records]
    columns["vector"] = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), dimension)
    return pa.table(columns, schema=schema)


def document_of(row: Row) -> DocumentRecord:
    """The record that a row of `documents` holds."""
    return DocumentRecord(**{**row, "state": State(row["state"]), "warnings": tuple(row["warnings"] or ())})


def chunk_of(row: Row) -> StoredChunk:
    """The chunk that a row of `chunks` holds, without vector, search text and score."""
    values = {name: row[name] for name in STORED_COLUMNS}
    return StoredChunk(**{**values, "headings": tuple(row["headings"] or ())})
