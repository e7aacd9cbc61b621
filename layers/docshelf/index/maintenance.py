"""Keeping the tables fast and small."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import cast

from lancedb.table import Table

from docshelf.index.engine import engine_errors, is_conflict, open_table, see_latest
from docshelf.index.schema import CHUNKS, DOCUMENTS, VECTOR_INDEX_FROM_ROWS, vector_index
from docshelf.index.writing import Writing, committing

KEEP_VERSIONS = timedelta(minutes=10)
"""How long a version stays readable after it was replaced; far longer than any one request of a reader."""

_MANY_FRAGMENTS = 20
_MANY_UNINDEXED_ROWS = 500
"""Full text splits rows that are not yet indexed into words at every query: about 0.1 ms a row."""

_UNINDEXED_SHARE = 20
"""Bringing an index up to date takes longer the more rows it has, so a large one waits for one row in twenty."""

_MANY_VECTOR_SEGMENTS = 8
_VECTOR_INDEX = "vector_idx"
_TEXT_INDEX = "search_text_idx"


class Maintenance(Writing):
    """Maintenance works beside commits, on handles of its own: where the two meet, the commit wins."""

    def maintain(self, *, force: bool = False, keep_versions: timedelta = KEEP_VERSIONS) -> bool:
        """Merge small fragments, bring the indexes up to date and delete old versions, where that pays by now.

        Cheap when there is nothing to do: call it after every batch. `force` does it whatever the counts. From
        about ten thousand chunks on it also makes the vector index. True when something was done; what commits of
        other threads kept from being done is left to the next call. Writers and readers do not wait for it.

        Raises:
            IndexUnavailableError: the disk is full, or permission is denied.
            IndexCorruptError: the index cannot be read.
        """
        with self._maintaining, engine_errors(self._place, self._remedy):
            done = False
            for name in (DOCUMENTS, CHUNKS):
                table = open_table(self._place, name)
                if force or _has_work(table):
                    done |= _done(partial(_optimize, table, keep_versions))
                if name == CHUNKS and _needs_vector_index(table):
                    done |= _done(partial(_make_vector_index, table))
        if done:
            self.refresh()
        return done


def _done(commit: Callable[[], None]) -> bool:
    """Whether `commit` passed, in a few attempts, between the commits of others."""
    try:
        committing(commit)
    except RuntimeError as error:
        if not is_conflict(error):
            raise
        return False
    return True


def _needs_vector_index(table: Table) -> bool:
    if table.count_rows() < VECTOR_INDEX_FROM_ROWS:
        return False
    statistics = table.index_stats(_VECTOR_INDEX)
    # Each update adds a segment that every query must visit.
    return statistics is None or (statistics.num_indices or 0) > _MANY_VECTOR_SEGMENTS


def _make_vector_index(table: Table) -> None:
    see_latest(table)
    table.create_index("vector", config=vector_index(), name=_VECTOR_INDEX)


def _has_work(table: Table) -> bool:
    # Declared as objects, returned as dictionaries.
    statistics = cast("Mapping[str, Mapping[str, int]]", table.stats())
    if statistics["fragment_stats"]["num_small_fragments"] > _MANY_FRAGMENTS:
        return True
    text_index = table.index_stats(_TEXT_INDEX)
    return text_index is not None and text_index.num_unindexed_rows > max(
        _MANY_UNINDEXED_ROWS, text_index.num_indexed_rows // _UNINDEXED_SHARE
    )


def _optimize(table: Table, keep_versions: timedelta) -> None:
    see_latest(table)
    table.optimize(cleanup_older_than=keep_versions)
