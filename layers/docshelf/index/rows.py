"""Records to Arrow tables and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pyarrow as pa

from docshelf.index.records import ChunkRecord, DocumentRecord, StoredChunk
from docshelf.states import State

Row = Mapping[str, Any]

DOCUMENT_COLUMNS = [item.name for item in fields(DocumentRecord)]
STORED_COLUMNS = [item.name for item in fields(StoredChunk)]
_PLAIN_CHUNK_COLUMNS = [item.name for item in fields(ChunkRecord) if item.name not in {"headings", "vector"}]


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
