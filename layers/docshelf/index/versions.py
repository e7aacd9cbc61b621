"""What the index holds of each source, to be compared with the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, cast

import pyarrow as pa

from docshelf.background import both
from docshelf.index.filters import joined, literal, one_of
from docshelf.index.reading import SOURCES_AT_ONCE, Reading
from docshelf.index.records import SourceVersion
from docshelf.index.rows import Row
from docshelf.states import State

_PAGE_ROWS = 50_000
_COLUMNS = ["source", "version", "state", "retryable", "modified_at", "indexed_at", "chunks", "failures"]
_CHUNK_COLUMNS = ["source", "version"]

Counts = dict[str, dict[str, int]]
"""Chunk rows by source and version."""


class Versions(Reading):
    """Versions of documents together with the chunk rows that are stored for them."""

    def stored_versions(self, sources: Sequence[str]) -> dict[str, SourceVersion]:
        """What is stored of these sources; those of which nothing is stored are left out.

        Raises:
            IndexUnavailableError, IndexCorruptError: the index cannot be read.
        """
        found: dict[str, SourceVersion] = {}
        for start in range(0, len(sources), SOURCES_AT_ONCE):
            where = one_of("source", sources[start : start + SOURCES_AT_ONCE])
            rows, counts = both(partial(self._rows, self._documents, _COLUMNS, where), partial(self._counts, where))
            found.update((version.source, version) for version in _versions(rows, counts))
        return found

    def ordered_versions(self, after: str = "") -> Iterator[SourceVersion]:
        """What is stored of every source behind `after`, in order of source, a page in memory at a time.

        Order is that of code points, which is that of UTF-8 bytes too. Goes on from any source: give the last one seen.

        Raises:
            IndexUnavailableError, IndexCorruptError: the index cannot be read.
        """
        while True:
            behind = f"source > {literal(after)}"
            rows = self._rows(self._documents, _COLUMNS, behind, _PAGE_ROWS, "source")
            last = None
            if len(rows) == _PAGE_ROWS:  # the last source waits for the next page, which may hold more rows of it
                rows = [row for row in rows if row["source"] != rows[-1]["source"]] or rows
                last = rows[-1]["source"]
            upto = None if last is None else f"source <= {literal(last)}"
            counts = self._counts(cast("str", joined(behind, upto)))
            yield from sorted(_versions(rows, counts), key=lambda version: version.source)
            if last is None:
                return
            after = last

    def _counts(self, where: str) -> Counts:
        return self._reading(lambda: _counted(self._chunks.search().select(_CHUNK_COLUMNS).where(where).to_batches()))


def _counted(batches: Iterable[pa.RecordBatch]) -> Counts:
    counts: Counts = {}
    for batch in batches:
        counted = pa.Table.from_batches([batch]).group_by(_CHUNK_COLUMNS).aggregate([([], "count_all")])
        for row in counted.to_pylist():
            of_source = counts.setdefault(row["source"], {})
            of_source[row["version"]] = of_source.get(row["version"], 0) + row["count_all"]
    return counts


def _versions(rows: Sequence[Row], counts: Counts) -> Iterator[SourceVersion]:
    """The documents of `rows`, then the sources that have chunks and no row. One with two rows is not consistent."""
    repeated = {source for source, count in Counter(row["source"] for row in rows).items() if count > 1}
    for row in {row["source"]: row for row in rows}.values():
        stored = counts.pop(row["source"], {})
        expected = {row["version"]: row["chunks"]} if row["chunks"] else {}
        values: Mapping[str, Any] = {**row, "state": State(row["state"]), "chunks": sum(stored.values())}
        yield SourceVersion(**values, consistent=stored == expected and row["source"] not in repeated)
    for source, stored in counts.items():
        yield SourceVersion(source, None, None, False, None, None, sum(stored.values()), consistent=False)
