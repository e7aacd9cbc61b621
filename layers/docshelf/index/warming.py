"""Holding in memory what a search reads of the indexes."""

from __future__ import annotations

from typing import cast

from lancedb.table import LanceTable

from docshelf.background import both
from docshelf.index.engine import Tables, open_tables
from docshelf.index.table_indexes import TEXT_INDEX, VECTOR_INDEX

WARMED_CHUNKS = 200_000
"""Up to so many chunks the indexes are held in memory: about 0.5 kB each of 384 dimensions and 150 words."""

_ROWS_A_PAGE = 2_000
"""Fewer than a page of `stored` holds (8 MB), so that a look at each so many rows reads where every page's rows lie."""


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
        self._documents, self._chunks = open_tables(self._place)

    def _read_ahead(self, names: list[str]) -> None:
        chunks = cast("LanceTable", self._chunks)

        def read_indexes(rest: list[str]) -> None:
            if rest:
                both(lambda: chunks.prewarm_index(rest[0]), lambda: read_indexes(rest[1:]))

        def look_at_pages() -> None:
            every = list(range(0, chunks.count_rows(), _ROWS_A_PAGE))
            if every:
                chunks.take_offsets(every).select(["stored"]).to_arrow()

        both(lambda: read_indexes(names), look_at_pages)
