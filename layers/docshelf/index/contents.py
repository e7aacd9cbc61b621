"""What the documents table holds of each collection, told from one scan of it."""

from __future__ import annotations

from collections import defaultdict
from operator import itemgetter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docshelf.index.records import CollectionContents
from docshelf.states import State

CONTENTS_COLUMNS = ["collection", "source", "state", "title", "chunks", "indexed_at"]


def contents_of(documents: pa.Table, titles: int) -> list[CollectionContents]:
    """Every collection of `documents` (`CONTENTS_COLUMNS`), by name, with at most `titles` titles each."""
    grouped = documents.group_by(["collection", "state"]).aggregate(
        [([], "count_all"), ("chunks", "sum"), ("indexed_at", "max")]
    )
    rows = defaultdict(list)
    for row in sorted(grouped.to_pylist(), key=itemgetter("collection", "state")):
        rows[row["collection"]].append(row)
    examples = _first_titles(documents, titles)
    return [
        CollectionContents(
            name,
            tuple((State(row["state"]), row["count_all"]) for row in of_collection),
            sum(row["chunks_sum"] for row in of_collection),
            max(row["indexed_at_max"] for row in of_collection),
            tuple(examples[name]),
        )
        for name, of_collection in rows.items()
    ]


def _first_titles(documents: pa.Table, most: int) -> defaultdict[str, list[str]]:
    """The titles of the first searchable documents of each collection that have one, in order of source."""
    titled = pc.and_(pc.equal(documents["state"], State.INDEXED.value), pc.greater(documents["title"], ""))
    found = documents.filter(titled).select(["collection", "source", "title"])  # null counts as false
    found = found.sort_by([("collection", "ascending"), ("source", "ascending")])
    names = found["collection"].combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False)
    starts = np.flatnonzero(np.diff(names, prepend=-1))
    places = np.arange(len(names)) - np.repeat(starts, np.diff(starts, append=len(names)))
    examples: defaultdict[str, list[str]] = defaultdict(list)
    for row in found.take(np.flatnonzero(places < most)).to_pylist():
        examples[row["collection"]].append(row["title"])
    return examples
