"""What the index holds of each key, to be compared with the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import cast

import pyarrow as pa

from docshelf.background import both
from docshelf.index.filters import joined, literal, one_of
from docshelf.index.reading import KEYS_AT_ONCE, Reading
from docshelf.index.records import SourceVersion
from docshelf.index.rows import Row
from docshelf.states import State

_PAGE_ROWS = 50_000
_CHUNK_COLUMNS = ["key", "source", "version"]
_COLUMNS = [
    *_CHUNK_COLUMNS,
    *("content_sha256", "state", "retryable", "modified_at", "indexed_at", "chunks", "failures", "members"),
]

Counts = dict[str, Counter[tuple[str, str]]]
"""Chunk rows by key, and there by source and version."""


class Versions(Reading):
    """Versions of documents together with the chunk rows that are stored for them."""

    def stored_versions(self, keys: Sequence[str]) -> dict[str, SourceVersion]:
        """What is stored of these keys; those of which nothing is stored are left out.

        Raises:
            IndexUnavailableError, IndexCorruptError: the index cannot be read.
        """
        found: dict[str, SourceVersion] = {}
        for start in range(0, len(keys), KEYS_AT_ONCE):
            where = one_of("key", keys[start : start + KEYS_AT_ONCE])
            rows, counts = both(partial(self._rows, self._documents, _COLUMNS, where), partial(self._counts, where))
            found.update((version.key, version) for version in _versions(rows, counts))
        return found

    def ordered_versions(self, after: str = "") -> Iterator[SourceVersion]:
        """What is stored of every key behind `after`, in order of keys, a page in memory at a time.

        Order is that of code points, which is that of UTF-8 bytes too. Goes on from any key: give the last one seen.

        Raises:
            IndexUnavailableError, IndexCorruptError: the index cannot be read.
        """
        page = _PAGE_ROWS
        while True:
            behind = f"key > {literal(after)}"
            rows = self._rows(self._documents, _COLUMNS, behind, page, "key")
            last = None
            if len(rows) == page:  # the last key waits for the next page, which may hold more rows of it
                whole = [row for row in rows if row["key"] != rows[-1]["key"]]
                if not whole:
                    page *= 2
                    continue
                rows, last = whole, whole[-1]["key"]
            upto = None if last is None else f"key <= {literal(last)}"
            counts = self._counts(cast("str", joined(behind, upto)))
            yield from sorted(_versions(rows, counts), key=lambda version: version.key)
            if last is None:
                return
            after, page = last, _PAGE_ROWS

    def inconsistent_keys(self) -> set[str]:
        """Keys whose rows and chunks are not those that they tell of: a writer ended between two commits.

        Replacing or removing them puts the index right.

        Raises:
            IndexUnavailableError, IndexCorruptError: the index cannot be read.
        """
        return {version.key for version in self.ordered_versions() if not version.consistent}

    def _counts(self, where: str) -> Counts:
        return self._reading(lambda: _counted(self._chunks.search().select(_CHUNK_COLUMNS).where(where).to_batches()))


def _counted(batches: Iterable[pa.RecordBatch]) -> Counts:
    counts: Counts = {}
    for batch in batches:
        counted = pa.Table.from_batches([batch]).group_by(_CHUNK_COLUMNS).aggregate([([], "count_all")])
        for row in counted.to_pylist():
            counts.setdefault(row["key"], Counter())[row["source"], row["version"]] += row["count_all"]
    return counts


def _versions(rows: Sequence[Row], counts: Counts) -> Iterator[SourceVersion]:
    """The keys of `rows`, then those that have chunks and no row."""
    by_key: dict[str, list[Row]] = {}
    for row in rows:
        by_key.setdefault(row["key"], []).append(row)
    for key, of_key in by_key.items():
        yield _version(key, of_key, counts.pop(key, Counter()))
    for key, stored in counts.items():
        yield _version(key, [], stored)


def _version(key: str, rows: Sequence[Row], stored: Mapping[tuple[str, str], int]) -> SourceVersion:
    """Consistent is a key with one row of its own, as many of other sources as that says, and their chunks."""
    own = [row for row in rows if row["source"] == key]
    members = [row for row in rows if row["source"] != key]
    chunks, versions = sum(stored.values()), frozenset((State(row["state"]), row["version"]) for row in members)
    if not own:
        return SourceVersion(
            key, None, None, False, None, None, chunks, False, members=len(members), member_versions=versions
        )
    row = own[-1]
    expected = {(each["source"], each["version"]): each["chunks"] for each in rows if each["chunks"]}
    once = len({each["source"] for each in rows}) == len(rows)
    return SourceVersion(
        key,
        row["version"],
        State(row["state"]),
        any(each["retryable"] for each in rows),
        row["modified_at"],
        row["indexed_at"],
        chunks,
        consistent=once and stored == expected and row["members"] == len(members),
        failures=row["failures"],
        content_sha256=row["content_sha256"],
        members=len(members),
        member_versions=versions,
    )
