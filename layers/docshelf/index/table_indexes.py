"""The indexes of the two tables: those made with the empty tables, and the vector index that large ones get."""

from __future__ import annotations

from lancedb.index import FTS, Bitmap, BTree, IvfRq
from lancedb.table import Table

VECTOR_INDEX_FROM_ROWS = 10_000
"""Below, comparing with every vector is fast; the index costs accuracy unless hits are refined."""

MAX_TOKEN_LENGTH = 128
"""Longer words are not indexed; the default of 40 would leave out digests and long identifiers."""


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
