"""The two tables: columns, and the indexes that are made with the empty tables."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from lancedb.index import FTS, Bitmap, BTree, IvfRq
from lancedb.table import Table

DOCUMENTS = "documents"
CHUNKS = "chunks"

VECTOR_INDEX_FROM_ROWS = 10_000
"""Below, comparing with every vector is fast; the index costs accuracy unless hits are refined."""

MAX_TOKEN_LENGTH = 128
"""Longer words are not indexed; the default of 40 would leave out digests and long identifiers."""

# Merging two inserts of one key needs to know that it is one; the key must be declared when the table is made.
_KEY = {"lance-schema:unenforced-primary-key:position": "1"}
_TIME = pa.timestamp("us", tz="UTC")


def _text(name: str, *, nullable: bool = False, key: bool = False) -> pa.Field:
    return pa.field(name, pa.string(), nullable=nullable, metadata=_KEY if key else None)


def documents_schema(metadata: Mapping[bytes, bytes]) -> pa.Schema:
    """Columns of `documents`, one row a file."""
    columns = [
        _text("source", key=True),
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
    ]
    return pa.schema(columns, metadata=dict(metadata))


def chunks_schema(metadata: Mapping[bytes, bytes], dimension: int) -> pa.Schema:
    """Columns of `chunks`; vectors are normalised or not, similarity is by cosine."""
    columns = [
        _text("chunk_id", key=True),
        _text("source"),
        _text("collection"),
        pa.field("ordinal", pa.int32(), nullable=False),
        _text("title", nullable=True),
        pa.field("headings", pa.list_(pa.string())),
        pa.field("page", pa.int32()),
        _text("page_label", nullable=True),
        pa.field("first_line", pa.int32()),
        pa.field("last_line", pa.int32()),
        _text("line_kind", nullable=True),
        _text("text"),
        _text("opening"),
        _text("closing"),
        _text("version"),
        pa.field("modified_at", _TIME),
        pa.field("indexed_at", _TIME, nullable=False),
        _text("search_text"),
        _text("embedded_sha256"),
        pa.field("vector", pa.list_(pa.float32(), dimension), nullable=False),
    ]
    return pa.schema(columns, metadata=dict(metadata))


def full_text_index() -> FTS:
    """The full-text index, the same for every document whatever its language.

    `icu/split` is what finds Chinese and Japanese words and the parts of dotted and underscored names; English
    stemming is worth 0.03 to 0.15 nDCG on English and costs other languages nothing measurable. Positions are what
    quoted phrases need. Stop words are indexed, and left out of queries instead (`stop_words`): `I/O`, `end-to-end` and
    `--no` can then be found.
    """
    return FTS(
        base_tokenizer="icu/split",
        language="English",
        stem=True,
        remove_stop_words=False,
        ascii_folding=True,
        lower_case=True,
        with_position=True,
        max_token_length=MAX_TOKEN_LENGTH,
    )


def vector_index() -> IvfRq:
    """The vector index: fast to build and small; its own order is rough, so queries refine it."""
    return IvfRq(distance_type="cosine")


def make_indexes(documents: Table, chunks: Table) -> None:
    """Make the indexes that exist from the start; they follow what is written later."""
    documents.create_index("source", config=BTree())
    chunks.create_index("source", config=BTree())
    chunks.create_index("chunk_id", config=BTree())
    chunks.create_index("collection", config=Bitmap())
    chunks.create_index("search_text", config=full_text_index())
