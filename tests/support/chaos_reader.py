"""A reader of the index, run as a handler process: it polls snapshots and tells what it saw, or gives everything."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from typing import Any

from lancedb.table import Table

from docshelf.index.live import LiveIndex
from docshelf.index.rows import DOCUMENT_COLUMNS, chunk_of
from docshelf.index.store import Index

PAUSE_SECONDS = 0.25
_LIMIT = 100_000
_COLUMNS = ["chunk_id", "source", "key", "ordinal", "version", "stored"]

_live = LiveIndex(os.environ["DOCSHELF_INDEX"], pointer_seconds=1.0)
_told: set[tuple[object, ...]] = set()

Rows = list[dict[str, Any]]


def handler(event: Mapping[str, Any], _: object) -> dict[str, object]:
    """`{"words": {key: word}, "seconds": s}` polls; `{"everything": true}` gives all rows of both tables."""
    if event.get("everything"):
        index = _live.current()
        return {"documents": _documents(index), "chunks": _chunks(index)}
    end = time.monotonic() + event["seconds"]
    polls, seen, missed = 0, [], []
    while polls == 0 or time.monotonic() < end:
        index = _live.current()
        rows = _chunks(index)
        seen += [rows_of_one for rows_of_one in _by_key(rows) if _is_new(rows_of_one)]
        for key, word in event["words"].items():
            if not any(row["source"] == key for row in rows):
                missed.append(f"no chunk of {key!r}")
            if key not in _found(index, word):
                missed.append(f"{key!r} not found by its word")
        polls += 1
        time.sleep(PAUSE_SECONDS)
    return {"polls": polls, "seen": seen, "missed": missed}


def _rows(index: Index, table: Table, columns: Iterable[str]) -> Rows:
    """All rows of a table as of one version."""
    found = index._reading(lambda: table.search().select(list(columns)).limit(_LIMIT).to_arrow())
    rows: Rows = found.to_pylist()
    return rows


def _chunks(index: Index) -> Rows:
    rows = _rows(index, index._chunks, _COLUMNS)
    return [{"text": chunk_of(row.pop("stored")).text, **row} for row in rows]


def _found(index: Index, word: str) -> set[str]:
    """The documents that a search finds."""

    def search() -> set[str]:
        rows = [candidate.row for candidate in index.text_candidates(word, 5)]
        return {chunk.source for chunk in index.chunks_at(rows).values()}

    return index.steady(search)


def _documents(index: Index) -> Rows:
    return _rows(index, index._documents, (name for name in DOCUMENT_COLUMNS if not name.endswith("_at")))


def _by_key(rows: Rows) -> Iterable[Rows]:
    grouped: dict[str, Rows] = {}
    for row in rows:
        grouped.setdefault(row["key"], []).append(row)
    return grouped.values()


def _is_new(rows: Rows) -> bool:
    """Whether exactly these chunks were not told yet."""
    mark = tuple(sorted((row["chunk_id"], row["version"], row["text"]) for row in rows))
    if mark in _told:
        return False
    _told.add(mark)
    return True
