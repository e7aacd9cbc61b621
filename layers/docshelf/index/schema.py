"""The two tables and their columns."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

DOCUMENTS = "documents"
CHUNKS = "chunks"

# Merging two inserts of one key needs to know that it is one; the key must be declared when the table is made.
_KEY = {"lance-schema:unenforced-primary-key:position": "1"}
LANGUAGE = "language"
"""The language that `quality` tells of, by itself: an overview of a large index reads it for every document."""

_TIME = pa.timestamp("us", tz="UTC")


def _text(name: str, *, nullable: bool = False, key: bool = False) -> pa.Field:
    return pa.field(name, pa.string(), nullable=nullable, metadata=_KEY if key else None)


def documents_schema(metadata: Mapping[bytes, bytes]) -> pa.Schema:
    """Columns of `documents`, one row a document.

    `key` names the entry of the source (a file or an object) that holds the document: the same as `source`, but for
    the members of archives and the attachments of mail. The row whose source is its key counts the others of that key
    in `members`.
    """
    columns = [
        _text("source", key=True),
        _text("key"),
        _text("collection"),
        _text("state"),
        _text("reason", nullable=True),
        pa.field("retryable", pa.bool_(), nullable=False),
        _text("version"),
        _text("content_sha256"),
        _text("title", nullable=True),
        _text("media_type", nullable=True),
        pa.field("pages", pa.int32()),
        pa.field("chunks", pa.int32(), nullable=False),
        pa.field("characters", pa.int64(), nullable=False),
        pa.field("bytes", pa.int64(), nullable=False),
        _text("line_kind", nullable=True),
        pa.field("first_line", pa.int32(), nullable=False),
        pa.field("modified_at", _TIME),
        pa.field("indexed_at", _TIME, nullable=False),
        pa.field("warnings", pa.list_(pa.string())),
        pa.field("failures", pa.int32(), nullable=False),
        _text("quality", nullable=True),
        _text(LANGUAGE, nullable=True),
        pa.field("members", pa.int32(), nullable=False),
    ]
    return pa.schema(columns, metadata=dict(metadata))


def chunks_schema(metadata: Mapping[bytes, bytes], dimension: int) -> pa.Schema:
    """Columns of `chunks`; vectors are of unit length.

    `stored` holds everything that a search hands back of a chunk, so that it costs one request on object storage
    instead of one a column.
    """
    columns = [
        _text("chunk_id", key=True),
        _text("source"),
        _text("key"),
        _text("collection"),
        pa.field("ordinal", pa.int32(), nullable=False),
        _text("version"),
        _text("stored"),
        _text("search_text"),
        _text("embedded_sha256"),
        pa.field("vector", pa.list_(pa.float32(), dimension), nullable=False),
    ]
    return pa.schema(columns, metadata=dict(metadata))
