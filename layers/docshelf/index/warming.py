"""Holding in memory what a search reads of the indexes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from lancedb.table import LanceTable, Table

from docshelf.background import both
from docshelf.index.engine import Tables, open_tables, see_latest
from docshelf.index.table_indexes import TEXT_INDEX, VECTOR_INDEX

WARMED_CHUNKS = 200_000
"""Up to so many chunks the indexes are held in memory: about 0.5 kB each of 384 dimensions and 150 words."""

_ROWS_A_PAGE = 2_000
"""Fewer than a page of `stored` holds (8 MB), so that a look at each so many rows reads where every page's rows lie."""

_EXCHANGE_ATTEMPTS = 3
"""Then the handles at hand stay: those of an index that was deleted and made again may never be caught up with."""

_NOT_ALL_HELD = "not fully resident"
"""What LanceDB says where the cache gave up a part meanwhile, under pressure or as searches used the same index: all
was read, and what is missing is read again by the queries that need it."""


class Warming(Tables):
    """Reads the indexes of the chunks ahead of the queries, in about as much time as the first query would take."""

    def warm(self, most_chunks: int = WARMED_CHUNKS) -> bool:
        """Hold the indexes of the version that the handle sees in memory, where they fit; True if they were read now.

        Asks object storage for nothing where they are held already, as after commits that leave the indexes alone.
        An index that took the place of another is held instead of it, not besides.

        Raises:
            IndexUnavailableError, IndexCorruptError: they cannot be read.
        """
        with self._warming:
            if self._chunks.count_rows() > most_chunks:
                return False
            wanted = self._reading(self._index_names)
            if wanted == self._warmed:
                return False
            if self._warmed:
                self._reading(self._start_anew)
                wanted = self._reading(self._index_names)
            self._reading(lambda: self._read_ahead(list(wanted)))
            self._warmed = wanted
            return True

    def _index_names(self) -> dict[str, str | None]:
        """The indexes that searches use, each with the id that another index in its place would not have."""
        found = {index.name: index.index_uuid for index in self._chunks.list_indices()}
        return {name: found[name] for name in (TEXT_INDEX, VECTOR_INDEX) if name in found}

    def _start_anew(self) -> None:
        """Caches keep what is no longer used until they are full, so begin with empty ones."""
        with self._writing:  # a commit by a handle that is left would not be seen by the one that follows
            documents, chunks = open_tables(self._place)
            for _ in range(_EXCHANGE_ATTEMPTS):
                if self._exchange(documents, chunks):
                    return
                see_latest(documents)
                see_latest(chunks)

    def _exchange(self, documents: Table, chunks: Table) -> bool:
        """Go on with these handles; not if those at hand have seen a later commit, as nobody may be taken back."""
        with self._exchanging:
            if documents.version < self._documents.version or chunks.version < self._chunks.version:
                return False
            self._documents, self._chunks = documents, chunks
            return True

    def _read_ahead(self, names: list[str]) -> None:
        chunks = cast("LanceTable", self._chunks)

        def look_at_pages() -> None:
            every = list(range(0, chunks.count_rows(), _ROWS_A_PAGE))
            if every:
                chunks.take_offsets(every).select(["stored"]).to_arrow()

        _at_once([look_at_pages, *(partial(_prewarm, chunks, name) for name in names)])


def _at_once(work: Sequence[Callable[[], None]]) -> None:
    """Run all of it; a function that called itself within another would keep the handle until garbage is collected."""
    if work:
        both(work[0], lambda: _at_once(work[1:]))


def _prewarm(chunks: LanceTable, name: str) -> None:
    try:
        chunks.prewarm_index(name)
    except RuntimeError as error:
        if _NOT_ALL_HELD not in str(error):
            raise
