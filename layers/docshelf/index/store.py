"""`Index`: create or open an index, then read, search, write and maintain it."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from docshelf.background import both
from docshelf.errors import DocshelfError, IndexMissingError, PreconditionFailedError
from docshelf.index.engine import DEFAULT_REMEDY, connect, engine_errors, open_tables
from docshelf.index.identity import IndexIdentity
from docshelf.index.location import Location, location_of
from docshelf.index.maintenance import Maintenance
from docshelf.index.pointer import (
    Pointer,
    claim_generation,
    generation_location,
    read_pointer,
    tag_of_pointer,
    write_pointer,
)
from docshelf.index.querying import Querying
from docshelf.index.schema import CHUNKS, DOCUMENTS, chunks_schema, documents_schema
from docshelf.index.table_indexes import make_indexes
from docshelf.index.warming import Warming


class Index(Querying, Warming, Maintenance):
    """One generation of an index, open. Any number of threads may read; writing is one at a time.

    A handle sees its own writes at once, and those of other processes after `refresh()`. A place is a local directory,
    or an address like `s3://BUCKET/PREFIX`.
    """

    @classmethod
    def create(
        cls,
        place: Path | str,
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
            PreconditionFailedError: another process made one the one in use meanwhile; this one was removed.
            IndexUnavailableError, StoreUnavailableError, StoreDeniedError: the place cannot be written.
        """
        tag = tag_of_pointer(place) if activate else None
        return cls._create(place, identity, generation, activate, tag, remedy)

    @classmethod
    def _create(
        cls,
        place: Path | str,
        identity: IndexIdentity,
        generation: str | None,
        activate: bool,
        tag: str | None,
        remedy: str,
    ) -> Self:
        if generation is not None and not location_of(place).claim(generation):
            raise ValueError(f"{generation} exists")
        name = generation or claim_generation(place)
        location = generation_location(place, name)
        try:
            index = cls._filled(location, identity, remedy)
            if activate:
                write_pointer(place, Pointer(name, tag=tag))
        except DocshelfError:
            location.remove()
            raise
        return index

    @classmethod
    def _filled(cls, location: Location, identity: IndexIdentity, remedy: str) -> Self:
        metadata = identity.to_metadata()
        with engine_errors(location, remedy):
            database = connect(location)
            documents, chunks = both(
                lambda: database.create_table(DOCUMENTS, schema=documents_schema(metadata)),
                lambda: database.create_table(CHUNKS, schema=chunks_schema(metadata, identity.dimension)),
            )
            make_indexes(documents, chunks)
        return cls(location, identity, documents, chunks, remedy)

    @classmethod
    def open(cls, place: Path | str, generation: str | None = None, *, remedy: str = DEFAULT_REMEDY) -> Self:
        """Open the generation in use, or the one named.

        Raises:
            IndexMissingError: there is no index at `place`.
            IndexCorruptError: it cannot be read; the sentence ends with `remedy`.
            IndexMismatchError: it was written in another format.
            IndexUnavailableError, StoreUnavailableError, StoreDeniedError: it cannot be read just now.
        """
        location = generation_location(place, generation or read_pointer(place, remedy).generation)
        with engine_errors(location, remedy):
            documents, chunks = open_tables(location)
            identity = IndexIdentity.from_metadata(documents.schema.metadata)
            if IndexIdentity.from_metadata(chunks.schema.metadata) != identity:
                raise ValueError("the two tables have different identities")
        return cls(location, identity, documents, chunks, remedy)

    @classmethod
    def open_or_create(cls, place: Path | str, identity: IndexIdentity, *, remedy: str = DEFAULT_REMEDY) -> Self:
        """Open the generation in use, or make the first one; of several that make it at once, one wins.

        The identity of an index that exists is not compared with `identity`.

        Raises:
            DocshelfError: as `open` and `create`.
        """
        try:
            return cls.open(place, remedy=remedy)
        except IndexMissingError:
            pass
        try:
            return cls._create(place, identity, None, activate=True, tag=None, remedy=remedy)
        except PreconditionFailedError:
            return cls.open(place, remedy=remedy)
