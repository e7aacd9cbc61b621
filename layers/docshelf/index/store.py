"""`Index`: create or open an index, then read, search, write and maintain it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Self

import lancedb

from docshelf.errors import IndexUnavailableError
from docshelf.index.engine import DEFAULT_REMEDY, engine_errors, open_table
from docshelf.index.identity import IndexIdentity
from docshelf.index.maintenance import Maintenance
from docshelf.index.pointer import next_generation, read_pointer, write_pointer
from docshelf.index.querying import Querying
from docshelf.index.reading import Reading
from docshelf.index.schema import CHUNKS, DOCUMENTS, chunks_schema, documents_schema, make_indexes


class Index(Reading, Querying, Maintenance):
    """One generation of an index, open. Any number of threads may read; writing is one at a time.

    A handle sees its own writes at once, and those of other processes after `refresh()`.
    """

    @classmethod
    def create(
        cls,
        root: Path,
        identity: IndexIdentity,
        generation: str | None = None,
        *,
        activate: bool = True,
        remedy: str = DEFAULT_REMEDY,
    ) -> Self:
        """Make an empty generation beside those that exist and, unless told otherwise, the one in use.

        `remedy` is the clause that ends the sentence of an IndexCorruptError: what to do about it.

        Raises:
            ValueError: the generation exists.
            IndexUnavailableError: the place cannot be written.
        """
        name = generation or next_generation(root)
        place = root / name
        if place.exists():
            raise ValueError(f"{name} exists")
        metadata = identity.to_metadata()
        try:
            place.mkdir(parents=True)
        except OSError as error:
            raise IndexUnavailableError(f"The index at {root} cannot be made: {error.strerror}.") from error
        try:
            with engine_errors(place, remedy):
                database = lancedb.connect(place)
                documents = database.create_table(DOCUMENTS, schema=documents_schema(metadata))
                chunks = database.create_table(CHUNKS, schema=chunks_schema(metadata, identity.dimension))
                make_indexes(documents, chunks)
            if activate:
                write_pointer(root, name)
        except IndexUnavailableError:
            shutil.rmtree(place, ignore_errors=True)
            raise
        return cls(place, identity, documents, chunks, remedy)

    @classmethod
    def open(cls, root: Path, generation: str | None = None, *, remedy: str = DEFAULT_REMEDY) -> Self:
        """Open the generation in use, or the one named.

        Raises:
            IndexMissingError: there is no index at `root`.
            IndexCorruptError: it cannot be read; the sentence ends with `remedy`.
            IndexMismatchError: it was written in another format.
            IndexUnavailableError: it may not be read.
        """
        place = root / (generation or read_pointer(root, remedy))
        with engine_errors(place, remedy):
            documents, chunks = open_table(place, DOCUMENTS), open_table(place, CHUNKS)
            identity = IndexIdentity.from_metadata(documents.schema.metadata)
            if IndexIdentity.from_metadata(chunks.schema.metadata) != identity:
                raise ValueError("the two tables have different identities")
        return cls(place, identity, documents, chunks, remedy)
