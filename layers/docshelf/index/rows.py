"""Records to Arrow tables and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from docshelf.index.identity import IndexIdentity
from docshelf.index.records import ChunkRecord, DocumentRecord, PreparedDocument, StoredChunk, chunk_id
from docshelf.index.schema import LANGUAGE, chunks_schema
from docshelf.quality.record import quality_of
from docshelf.states import State

Row = Mapping[str, Any]

DOCUMENT_COLUMNS = [item.name for item in fields(DocumentRecord)]
_STORED_FIELDS = [item.name for item in fields(StoredChunk)]
_TIMES = ("modified_at", "indexed_at")
_PLAIN_CHUNK_COLUMNS = ("chunk_id", "source", "collection", "ordinal", "version", "search_text", "embedded_sha256")
_LENGTH_TOLERANCE = 1e-3
_UNIT_TOLERANCE = 1e-6


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
    columns = [rows[name].to_pylist() for name in ("ordinal", "chunk_id", "stored")]
    for place, (ordinal, name, stored) in enumerate(zip(*columns, strict=True)):
        chunk = chunk_of(stored)
        told = (chunk.source, chunk.collection, chunk.version, chunk.ordinal)
        if ordinal != place or name != chunk_id(record.source, place):
            raise ValueError(f"chunk {ordinal} stands at place {place}")
        if told != (record.source, record.collection, record.version, place):
            raise ValueError(f"chunk {place} stores what belongs to another")
    _check_vectors(np.stack(rows["vector"].to_numpy()))


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


def documents_table(records: Sequence[DocumentRecord], schema: pa.Schema) -> pa.Table:
    """Rows of `documents`, one a record, with the columns that `schema` has."""
    columns: dict[str, list[object]] = {
        name: [getattr(record, name) for record in records] for name in DOCUMENT_COLUMNS
    }
    columns["state"] = [record.state.value for record in records]
    columns["warnings"] = [list(record.warnings) for record in records]
    columns["quality"] = [record.quality.text() if record.quality else None for record in records]
    columns[LANGUAGE] = [record.quality.language if record.quality else None for record in records]
    return pa.table([columns[name] for name in schema.names], schema=schema)


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
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    if not lengths.all():
        raise ValueError("a vector has no direction")
    lengths[np.abs(lengths - 1) < _UNIT_TOLERANCE] = 1  # a vector that was stored before stays as it is
    vectors = (vectors / lengths).astype(np.float32)
    columns: dict[str, object] = {name: [getattr(record, name) for record in records] for name in _PLAIN_CHUNK_COLUMNS}
    columns["stored"] = [stored_text(record) for record in records]
    columns["vector"] = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), dimension)
    return pa.table(columns, schema=schema)


def document_of(row: Row) -> DocumentRecord:
    """The record that a row of `documents` holds.

    Raises:
        ValueError: it holds what no record has.
    """
    quality = row.get("quality")
    values = {
        **row,
        "state": State(row["state"]),
        "warnings": tuple(row["warnings"] or ()),
        "quality": None if quality is None else quality_of(quality),
    }
    return DocumentRecord(**values)


def stored_text(chunk: StoredChunk) -> str:
    """What a row of `chunks` stores of a chunk to hand it back; `chunk_of` reads it."""
    values = {name: getattr(chunk, name) for name in _STORED_FIELDS}
    times = {name: values[name].isoformat() for name in _TIMES if values[name] is not None}
    return json.dumps({**values, **times}, ensure_ascii=False, separators=(",", ":"))


def chunk_of(stored: str) -> StoredChunk:
    """The chunk that `stored_text` made into text.

    Raises:
        ValueError: it is anything else.
    """
    values = json.loads(stored)
    if not isinstance(values, dict) or values.keys() != set(_STORED_FIELDS):
        raise ValueError("a chunk is stored with other fields")
    try:
        times = {name: datetime.fromisoformat(values[name]) for name in _TIMES if values[name] is not None}
        return StoredChunk(**{**values, **times, "headings": tuple(values["headings"])})
    except TypeError as error:
        raise ValueError("a chunk is stored with values of other types") from error
