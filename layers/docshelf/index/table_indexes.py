"""The indexes of the two tables: those made with the empty tables, and the vector index that large ones get."""

from __future__ import annotations

from lancedb.index import FTS, Bitmap, BTree, IvfRq
from lancedb.table import Table

TEXT_INDEX = "search_text_idx"
VECTOR_INDEX = "vector_idx"

VECTOR_INDEX_FROM_ROWS = 1_000
"""Below, comparing with every vector costs a query at most 1.5 MB; the index is held in memory."""

_BITS_A_DIMENSION = 5
"""Of 50 neighbours the index itself finds 98 in a hundred (with one bit 82), so that no vector need be fetched to
compare exactly; it takes 0.26 kB a chunk of 384 dimensions."""

_ROWS_A_PARTITION = 16_384
"""Reading an index of 100,000 chunks ahead takes 14 requests one after another with 7 partitions, 19 with 13."""

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
    """The vector index: fast to build, small enough for memory, and close to exact without a look at the vectors.

    By Euclidean distance, which for unit vectors orders as the cosine does: LanceDB gives the same numbers for rows
    within and outside of the index only then.
    """
    return IvfRq(distance_type="l2", num_bits=_BITS_A_DIMENSION, target_partition_size=_ROWS_A_PARTITION)


def make_indexes(documents: Table, chunks: Table) -> None:
    """Make the indexes that exist from the start; they follow what is written later."""
    for table in (documents, chunks):
        table.create_index("source", config=BTree())
        table.create_index("key", config=BTree())
    chunks.create_index("chunk_id", config=BTree())
    chunks.create_index("collection", config=Bitmap())
    chunks.create_index("search_text", config=full_text_index())
