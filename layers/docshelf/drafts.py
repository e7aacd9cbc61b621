"""Documents that are read and cut and not yet embedded, and joining them with their vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from docshelf.chunking import Chunk
from docshelf.errors import DocumentError
from docshelf.index.records import ChunkRecord, DocumentRecord, PreparedDocument
from docshelf.index.search_text import search_text
from docshelf.sources import collection_of
from docshelf.states import State

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Draft:
    """A document that is read and cut, and not yet embedded; `hashes[i]` names the embedded text of `chunks[i]`.

    That of a key has its members with it, those of members too.
    """

    record: DocumentRecord
    chunks: tuple[Chunk, ...] = ()
    hashes: tuple[str, ...] = ()
    members: tuple[Draft, ...] = ()

    @property
    def whole(self) -> tuple[Draft, ...]:
        """The document and its members."""
        return (self, *self.members)

    @property
    def chunk_count(self) -> int:
        """Chunks of the document and its members together."""
        return sum(len(draft.chunks) for draft in self.whole)


def problem_draft(
    key: str,
    error: DocumentError,
    *,
    size: int = 0,
    modified_at: datetime | None = None,
    version: str | None = None,
) -> Draft:
    """The draft of a document whose bytes were not read (`size` in bytes).

    `version` is what the source calls the content; without one the version stands for the reason.
    """
    record = blank_record(key, size, modified_at)
    return Draft(with_problem(replace(record, version=version or sha256_of(f"{error.code}\0{error.sentence}")), error))


def missing_texts(drafts: Iterable[Draft], known: Mapping[str, Vector]) -> dict[str, str]:
    """The embedded text of every chunk, members' too, whose vector is not in `known`, by hash; equal texts once."""
    return {
        digest: chunk.embedded_text
        for draft in drafts
        for each in draft.whole
        for digest, chunk in zip(each.hashes, each.chunks, strict=True)
        if digest not in known
    }


def is_complete(draft: Draft, vectors: Mapping[str, Vector]) -> bool:
    """Whether every chunk of the draft and its members has its vector."""
    return all(digest in vectors for each in draft.whole for digest in each.hashes)


def complete(draft: Draft, vectors: Mapping[str, Vector]) -> PreparedDocument:
    """Join a draft and its members with the vectors of their chunks.

    Raises:
        KeyError: a vector is missing.
    """
    return PreparedDocument(
        draft.record,
        tuple(
            _row(draft.record, chunk, digest, vectors[digest])
            for digest, chunk in zip(draft.hashes, draft.chunks, strict=True)
        ),
        tuple(complete(member, vectors) for member in draft.members),
    )


def _row(record: DocumentRecord, chunk: Chunk, digest: str, vector: Vector) -> ChunkRecord:
    shift = record.first_line - 1
    title = record.title or ""
    return ChunkRecord(
        source=record.source,
        collection=record.collection,
        ordinal=chunk.ordinal,
        title=title,
        headings=chunk.headings,
        page=chunk.page,
        page_label=chunk.page_label,
        first_line=chunk.first_line + shift,
        last_line=chunk.last_line + shift,
        line_kind=record.line_kind,
        text=chunk.text,
        opening=chunk.opening,
        closing=chunk.closing,
        version=record.version,
        modified_at=record.modified_at,
        indexed_at=record.indexed_at,
        key=record.key,
        search_text=search_text(title, chunk.headings, record.source, chunk.text),
        embedded_sha256=digest,
        vector=vector,
    )


def sha256_of(text: str) -> str:
    """The SHA-256 of a text in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def blank_record(key: str, size: int, modified_at: datetime | None, source: str | None = None) -> DocumentRecord:
    """The record of a document of which nothing is known but its name: `source` within `key` where it is a member."""
    return DocumentRecord(
        source=source or key,
        key=key,
        collection=collection_of(key),
        state=State.QUEUED,
        reason=None,
        retryable=False,
        version="",
        content_sha256="",
        title=None,
        media_type=None,
        pages=None,
        chunks=0,
        characters=0,
        bytes=size,
        line_kind=None,
        first_line=1,
        modified_at=modified_at,
        indexed_at=datetime.now(UTC),
    )


def with_problem(record: DocumentRecord, error: DocumentError) -> DocumentRecord:
    """The record in the state that `error` stands for."""
    told = replace(record, state=error.state, reason=error.sentence, retryable=error.retryable)
    return replace(told, pages=error.pages)
