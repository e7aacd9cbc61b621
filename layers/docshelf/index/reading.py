"""Looking up documents and chunks, and counting them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from lancedb.query import ColumnOrdering
from lancedb.table import Table
from numpy.typing import NDArray

from docshelf.index.contents import CONTENTS_COLUMNS, contents_of
from docshelf.index.engine import Tables, engine_errors, translated
from docshelf.index.filters import Filters, condition, joined, literal, one_of
from docshelf.index.records import CollectionContents, CollectionSummary, DocumentRecord, StoredChunk
from docshelf.index.rows import DOCUMENT_COLUMNS, Row, chunk_of, document_of
from docshelf.states import State

_PAGE_ROWS = 10_000
_STORED = "stored"
KEYS_AT_ONCE = 200


class Reading(Tables):
    """The reading half of an index. Every method raises IndexCorruptError where the index cannot be read."""

    def document(self, source: str) -> DocumentRecord | None:
        """The document stored under exactly this name, or None."""
        found = self._document_rows(one_of("source", [source]), limit=1)
        return found[0] if found else None

    def documents(
        self,
        filters: Filters,
        state: State | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> list[DocumentRecord]:
        """At most `limit` documents in order of source, the first of them behind `after`."""
        where = joined(
            condition(filters),
            None if state is None else f"state = {literal(state.value)}",
            None if after is None else f"source > {literal(after)}",
        )
        return self._document_rows(where, limit, "source")

    def all_documents(self) -> Iterator[DocumentRecord]:
        """Every document in order of key and source, a page in memory at a time: members follow what holds them."""
        where: str | None = None
        while page := self._document_rows(where, _PAGE_ROWS, "key", "source"):
            yield from page
            key, source = literal(page[-1].key), literal(page[-1].source)
            where = f"key > {key} OR (key = {key} AND source > {source})"

    def chunks_of(
        self, source: str, first_ordinal: int | None = None, last_ordinal: int | None = None
    ) -> list[StoredChunk]:
        """A document's chunks in order, from `first_ordinal` to `last_ordinal`, both included."""
        where = joined(
            one_of("source", [source]),
            None if first_ordinal is None else f"ordinal >= {first_ordinal:d}",
            None if last_ordinal is None else f"ordinal <= {last_ordinal:d}",
        )
        rows = self._rows(self._chunks, [_STORED], where)
        return sorted((self._chunk(row[_STORED]) for row in rows), key=lambda chunk: chunk.ordinal)

    def chunks_at(self, rows: Sequence[int]) -> dict[int, StoredChunk]:
        """The chunks in these rows, by the row's id: one request each on object storage, all at the same time.

        The ids must be of candidates that were found in the version that the handle sees: see `steady`.

        Raises:
            IndexCorruptError: there is no such row in that version.
        """
        wanted = list(dict.fromkeys(rows))
        if not wanted:
            return {}
        query = self._chunks.take_row_ids
        found = self._reading(lambda: query(wanted).with_row_id().select([_STORED]).to_arrow())
        if found.num_rows != len(wanted):
            raise translated(LookupError("rows are missing"), self._place, self._remedy)
        return {row["_rowid"]: self._chunk(row[_STORED]) for row in found.to_pylist()}

    def _document_rows(self, where: str | None, limit: int, *order: str) -> list[DocumentRecord]:
        rows = self._rows(self._documents, DOCUMENT_COLUMNS, where, limit, *order)
        with engine_errors(self._place, self._remedy):
            return [document_of(row) for row in rows]

    def _chunk(self, stored: str) -> StoredChunk:
        with engine_errors(self._place, self._remedy):
            return chunk_of(stored)

    def vectors_of(self, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors of all chunks of these keys by the hash of what was embedded, to be used again."""
        vectors: dict[str, NDArray[np.float32]] = {}
        for start in range(0, len(keys), KEYS_AT_ONCE):
            where = one_of("key", keys[start : start + KEYS_AT_ONCE])
            table = self._table(self._chunks, ["embedded_sha256", "vector"], where)
            matrix = np.stack(table.column("vector").to_numpy()) if table.num_rows else ()
            vectors.update(zip(table.column("embedded_sha256").to_pylist(), matrix, strict=True))
        return vectors

    def collections(self) -> list[CollectionSummary]:
        """Every collection with its counts, by name."""
        table = self._table(self._documents, ["collection", "state", "chunks", "indexed_at"])
        table = table.append_column("indexed", pc.cast(pc.equal(table["state"], State.INDEXED.value), pa.int64()))
        grouped = table.group_by("collection").aggregate(
            [([], "count_all"), ("indexed", "sum"), ("chunks", "sum"), ("indexed_at", "max")]
        )
        return [
            CollectionSummary(
                row["collection"], row["count_all"], row["indexed_sum"], row["chunks_sum"], row["indexed_at_max"]
            )
            for row in sorted(grouped.to_pylist(), key=itemgetter("collection"))
        ]

    def contents(self, titles: int) -> list[CollectionContents]:
        """Every collection by name, with its counts and at most `titles` titles: all of an overview in one scan."""
        return contents_of(self._table(self._documents, CONTENTS_COLUMNS), titles)

    def state_counts(self, collections: tuple[str, ...] | None = None) -> dict[State, int]:
        """How many documents are in each state; states without documents are left out."""
        table = self._table(self._documents, ["state"], condition(Filters(collections)))
        return {State(row["values"]): row["counts"] for row in table["state"].value_counts().to_pylist()}

    def size_bytes(self) -> int:
        """Bytes that the generation takes, older versions that are not yet cleaned up included."""
        return sum(size for _, size in self._place.files())

    def _rows(
        self, table: Table, columns: list[str], where: str | None, limit: int | None = None, *order: str
    ) -> list[Row]:
        return cast("list[Row]", self._table(table, columns, where, limit, *order).to_pylist())

    def _table(
        self,
        table: Table,
        columns: list[str],
        where: str | None = None,
        limit: int | None = None,
        *order: str,
    ) -> Any:
        def read() -> pa.Table:
            query = table.search().select(columns).limit(limit)
            if where is not None:
                query = query.where(where)
            if order:
                query = query.order_by([ColumnOrdering(column_name=name, ascending=True) for name in order])
            return query.to_arrow()

        return self._reading(read)
