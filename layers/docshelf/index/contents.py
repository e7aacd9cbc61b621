"""What the documents table holds of each collection, told from one scan of it."""

from __future__ import annotations

from collections import defaultdict
from operator import itemgetter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from docshelf.index.records import CollectionContents
from docshelf.index.schema import LANGUAGE
from docshelf.states import State

CONTENTS_COLUMNS = ["collection", "source", "state", "title", "chunks", "indexed_at", LANGUAGE]


def contents_of(documents: pa.Table, titles: int) -> list[CollectionContents]:
    """Every collection of `documents` (`CONTENTS_COLUMNS`), by name, with at most `titles` titles each."""
    grouped = documents.group_by(["collection", "state"]).aggregate(
        [([], "count_all"), ("chunks", "sum"), ("indexed_at", "max")]
    )
    rows = defaultdict(list)
    for row in sorted(grouped.to_pylist(), key=itemgetter("collection", "state")):
        rows[row["collection"]].append(row)
    examples, languages = _first_titles(documents, titles), _languages(documents)
    return [
        CollectionContents(
            name,
            tuple((State(row["state"]), row["count_all"]) for row in of_collection),
            sum(row["chunks_sum"] for row in of_collection),
            max(row["indexed_at_max"] for row in of_collection),
            tuple(examples[name]),
            tuple(languages[name]),
        )
        for name, of_collection in rows.items()
    ]


def _languages(documents: pa.Table) -> defaultdict[str, list[tuple[str, int]]]:
    """How many searchable documents of each collection are in each language that is known, the commonest first."""
    found: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    known = pc.and_(pc.equal(documents["state"], State.INDEXED.value), pc.is_valid(documents[LANGUAGE]))
    grouped = documents.filter(known).group_by(["collection", LANGUAGE]).aggregate([([], "count_all")])
    for row in sorted(grouped.to_pylist(), key=lambda row: (-row["count_all"], row[LANGUAGE])):
        found[row["collection"]].append((row[LANGUAGE], row["count_all"]))
    return found


def _first_titles(documents: pa.Table, most: int) -> defaultdict[str, list[str]]:
    """The titles of the first searchable documents of each collection that have one, in order of source."""
    has_text = pc.and_(pc.equal(documents["state"], State.INDEXED.value), pc.greater(documents["chunks"], 0))
    titled = pc.and_(has_text, pc.greater(documents["title"], ""))
    found = documents.filter(titled).select(["collection", "source", "title"])  # null counts as false
    found = found.sort_by([("collection", "ascending"), ("source", "ascending")])
    names = found["collection"].combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False)
    starts = np.flatnonzero(np.diff(names, prepend=-1))
    places = np.arange(len(names)) - np.repeat(starts, np.diff(starts, append=len(names)))
    examples: defaultdict[str, list[str]] = defaultdict(list)
    for row in found.take(np.flatnonzero(places < most)).to_pylist():
        examples[row["collection"]].append(row["title"])
    return examples
