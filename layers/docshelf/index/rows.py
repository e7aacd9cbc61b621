"""Records to Arrow tables and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa

from docshelf.index.records import ChunkRecord, DocumentRecord, StoredChunk
from docshelf.index.schema import LANGUAGE
from docshelf.quality.record import quality_of
from docshelf.states import State

Row = Mapping[str, Any]

DOCUMENT_COLUMNS = [item.name for item in fields(DocumentRecord)]
_STORED_FIELDS = [item.name for item in fields(StoredChunk)]
_TIMES = ("modified_at", "indexed_at")
_PLAIN_CHUNK_COLUMNS = (
    *("chunk_id", "source", "key", "collection", "ordinal", "version", "search_text", "embedded_sha256"),
)
_UNIT_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class PreparedRows:
    """A document's record, those of its members, and the chunks of all of them as rows of `chunks`, in order."""

    record: DocumentRecord
    rows: pa.Table
    members: tuple[DocumentRecord, ...] = ()

    @property
    def records(self) -> tuple[DocumentRecord, ...]:
        """The document's own record and then those of its members."""
        return (self.record, *self.members)


def documents_table(records: Sequence[DocumentRecord], schema: pa.Schema) -> pa.Table:
    """Rows of `documents`, one a record."""
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
    quality = row["quality"]
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
