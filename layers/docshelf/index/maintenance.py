"""Keeping the tables fast and small, and measuring them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from datetime import timedelta
from typing import TypeVar, cast

import lancedb
from lancedb.table import AsyncTable

from docshelf.index.engine import engine_errors, is_conflict
from docshelf.index.location import Location
from docshelf.index.records import Measurements
from docshelf.index.schema import CHUNKS, DOCUMENTS
from docshelf.index.table_commit import committing
from docshelf.index.table_indexes import TEXT_INDEX, VECTOR_INDEX, VECTOR_INDEX_FROM_ROWS, vector_index
from docshelf.index.writing import Writing

T = TypeVar("T")

KEEP_VERSIONS = timedelta(minutes=10)
"""How long a version stays readable after it was replaced; far longer than any one request of a reader."""

_MANY_FRAGMENTS = 20
_MANY_UNINDEXED_ROWS = 500
"""Full text splits rows that are not yet indexed into words at every query: about 0.1 ms a row."""

_UNINDEXED_SHARE = 20
"""Bringing an index up to date takes longer the more rows it has, so a large one waits for one row in twenty."""

_MANY_VECTOR_SEGMENTS = 8
"""Each update adds a segment, with the partitions of the first, that readers must fetch: the index is made anew."""

_CHEAP_ROWS = 200_000
"""Up to so many rows, making the vector index anew takes seconds: by force it is done for any second segment."""

_MANIFEST = ".manifest"


class Maintenance(Writing):
    """Maintenance works beside commits, on handles of its own: where the two meet, the commit wins."""

    def maintain(
        self, *, force: bool = False, keep_versions: timedelta = KEEP_VERSIONS, seconds: float | None = None
    ) -> bool:
        """Merge small fragments, bring the indexes up to date and delete old versions, where that pays by now.

        Cheap when there is nothing to do: call it after every batch. `force` does it whatever the counts. From
        a thousand chunks on it also makes the vector index. True when something was done; what commits of
        other threads kept from being done, or what is not done after `seconds`, is left to the next call. Writers and
        readers do not wait for it.

        Raises:
            IndexUnavailableError: the disk is full, or permission is denied.
            IndexCorruptError: the index cannot be read.
        """
        with self._maintaining, engine_errors(self._place, self._remedy):
            upkeep = _Upkeep(force, keep_versions, seconds)
            tables = upkeep.run(_open(self._place))
            if tables is not None:
                documents, chunks = tables
                upkeep.optimize(documents)
                upkeep.optimize(chunks)
                upkeep.make_vector_index(chunks)
        if upkeep.did_something or upkeep.ran_out_of_time:
            self.refresh()
        return upkeep.did_something

    def measurements(self) -> Measurements:
        """Sizes of this generation, as of the commits that this handle has seen; lists everything that is stored.

        Raises:
            IndexUnavailableError, IndexCorruptError: the index cannot be read.
        """
        versions = size = 0
        for name, bytes_ in self._place.files():
            size += bytes_
            versions += name.endswith(_MANIFEST)
        with engine_errors(self._place, self._remedy):
            documents, chunks = (_fragments(table.stats()) for table in (self._documents, self._chunks))
            text_index = self._chunks.index_stats(TEXT_INDEX)
            return Measurements(
                documents=self._documents.count_rows(),
                chunks=self._chunks.count_rows(),
                fragments=documents["num_fragments"] + chunks["num_fragments"],
                small_fragments=chunks["num_small_fragments"],
                unindexed_rows=text_index.num_unindexed_rows if text_index else self._chunks.count_rows(),
                versions=versions,
                bytes=size,
            )


class _Upkeep:
    """Work on one table after another until the time is used up. Each step commits by itself, or leaves no trace."""

    def __init__(self, force: bool, keep_versions: timedelta, seconds: float | None) -> None:
        self._force = force
        self._keep_versions = keep_versions
        self._ends_at = None if seconds is None else time.monotonic() + seconds
        self.did_something = False
        self.ran_out_of_time = False

    def run(self, work: Coroutine[object, object, T]) -> T | None:
        """The result of `work`, or None if it did not end in time."""
        try:
            return asyncio.run(_until(self._ends_at, work))
        except TimeoutError:
            self.ran_out_of_time = True
            return None

    def optimize(self, table: AsyncTable) -> None:
        """Compact, bring the indexes up to date and clean up, if there is enough to do."""
        if self._force or self.run(_has_work(table)):
            self._commit(lambda: _optimize(table, self._keep_versions))

    def make_vector_index(self, table: AsyncTable) -> None:
        """Make or renew the vector index, if it pays."""
        if self.run(_needs_vector_index(table, force=self._force)):
            self._commit(lambda: _make_vector_index(table))

    def _commit(self, work: Callable[[], Coroutine[object, object, bool]]) -> None:
        """Do `work`, in a few attempts, between the commits of others."""
        try:
            self.did_something |= bool(committing(lambda: self.run(work())))
        except RuntimeError as error:
            if not is_conflict(error):
                raise


async def _until(ends_at: float | None, work: Coroutine[object, object, T]) -> T:
    return await asyncio.wait_for(work, None if ends_at is None else max(0, ends_at - time.monotonic()))


async def _open(place: Location) -> tuple[AsyncTable, AsyncTable]:
    database = await lancedb.connect_async(place.uri, storage_options=place.storage_options())
    return await database.open_table(DOCUMENTS), await database.open_table(CHUNKS)


async def _see_latest(table: AsyncTable) -> None:
    await table.checkout_latest()  # type: ignore[no-untyped-call]


async def _has_work(table: AsyncTable) -> bool:
    if _fragments(await table.stats())["num_small_fragments"] > _MANY_FRAGMENTS:
        return True
    text_index = await table.index_stats(TEXT_INDEX)
    return text_index is not None and text_index.num_unindexed_rows > max(
        _MANY_UNINDEXED_ROWS, text_index.num_indexed_rows // _UNINDEXED_SHARE
    )


async def _needs_vector_index(table: AsyncTable, *, force: bool) -> bool:
    await _see_latest(table)
    rows = await table.count_rows()
    if rows < VECTOR_INDEX_FROM_ROWS:
        return False
    statistics = await table.index_stats(VECTOR_INDEX)
    most = 1 if force and rows <= _CHEAP_ROWS else _MANY_VECTOR_SEGMENTS
    return statistics is None or (statistics.num_indices or 0) > most


async def _optimize(table: AsyncTable, keep_versions: timedelta) -> bool:
    await _see_latest(table)
    await table.optimize(cleanup_older_than=keep_versions)
    return True


async def _make_vector_index(table: AsyncTable) -> bool:
    await _see_latest(table)
    await table.create_index("vector", config=vector_index(), name=VECTOR_INDEX)
    return True


def _fragments(statistics: object) -> Mapping[str, int]:
    # Declared as objects, returned as dictionaries.
    return cast("Mapping[str, Mapping[str, int]]", statistics)["fragment_stats"]
