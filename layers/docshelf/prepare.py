"""One key: from what the source holds now to a prepared document, ready to be committed.

Preparing has no effect on the index: it can be done twice, late, or in parallel. It goes in steps, so that a caller
can embed the chunks of several documents together: `draft` reads, parses and cuts; `missing_texts` says what must be
embedded; `complete` joins drafts and vectors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from docshelf.chunking import Chunk, ChunkSizes, Tokenizer, chunk_document
from docshelf.documents.model import Document
from docshelf.errors import DocumentError, DocumentTooLargeError
from docshelf.index.records import ChunkRecord, DocumentRecord, PreparedDocument
from docshelf.index.search_text import search_text
from docshelf.quality.measure import measured
from docshelf.settings import Limits
from docshelf.sources import SourceContent, collection_of
from docshelf.states import State

Vector = NDArray[np.float32]


class Parser(Protocol):
    """Reads a document; `documents.sandbox.ParserProcess` does it in a process that can be ended."""

    def parse(self, data: bytes, key: str) -> Document:
        """Raises DocumentError where the document cannot become searchable."""
        ...


@dataclass(frozen=True, slots=True)
class Draft:
    """A document that is read and cut, and not yet embedded; `hashes[i]` names the embedded text of `chunks[i]`."""

    record: DocumentRecord
    chunks: tuple[Chunk, ...] = ()
    hashes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Preparer:
    """What preparing needs: a parser, the model's tokenizer and name, sizes and limits."""

    parser: Parser
    tokenizer: Tokenizer
    model_sha256: str
    sizes: ChunkSizes
    limits: Limits

    def draft(self, key: str, content: SourceContent, version: str | None = None) -> Draft:
        """Read and cut `content`. A document that cannot become searchable gives a draft with its state and reason."""
        record = _blank_record(key, content.size, content.modified_at)
        content_version = version or content.sha256
        record = replace(record, version=content_version, content_sha256=content.sha256)
        try:
            document = self.parser.parse(content.data, key)
            chunks = self._cut(document)
        except DocumentError as error:
            record = replace(record, version=version_of(content_version, error.state, self.limits))
            return Draft(_with_problem(record, error))
        return Draft(
            replace(
                record,
                state=State.INDEXED,
                reason=None,
                title=document.title,
                media_type=document.media_type,
                pages=document.pages,
                chunks=len(chunks),
                characters=len(document.text),
                line_kind="source" if document.source_lines else "text",
                first_line=document.first_line,
                warnings=document.warnings,
                quality=measured(document),
            ),
            chunks,
            tuple(self._hash(chunk) for chunk in chunks),
        )

    def _cut(self, document: Document) -> tuple[Chunk, ...]:
        chunks = chunk_document(document, self.tokenizer, self.sizes)
        if len(chunks) > self.limits.max_chunks:
            raise DocumentTooLargeError(
                f"The document gives {len(chunks):,} chunks and at most {self.limits.max_chunks:,} are taken: split "
                "the file, or raise DOCSHELF_MAX_CHUNKS."
            )
        return tuple(chunks)

    def _hash(self, chunk: Chunk) -> str:
        return _sha256(f"{self.model_sha256}\0{chunk.embedded_text}")


def version_of(content_version: str, state: State, limits: Limits) -> str:
    """What names a content (its hash, or the object's version) that ended in `state`.

    With the limits, where other limits may end otherwise.
    """
    if state not in (State.TOO_LARGE, State.FAILED):
        return content_version
    return f"{content_version}@{hashlib.sha256(repr(limits).encode()).hexdigest()[:16]}"


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
    record = _blank_record(key, size, modified_at)
    return Draft(_with_problem(replace(record, version=version or _sha256(f"{error.code}\0{error.sentence}")), error))


def missing_texts(drafts: Iterable[Draft], known: Mapping[str, Vector]) -> dict[str, str]:
    """The embedded text of every chunk whose vector is not in `known`, by hash; equal texts stand once."""
    return {
        digest: chunk.embedded_text
        for draft in drafts
        for digest, chunk in zip(draft.hashes, draft.chunks, strict=True)
        if digest not in known
    }


def complete(draft: Draft, vectors: Mapping[str, Vector]) -> PreparedDocument:
    """Join a draft with the vectors of its chunks.

    Raises:
        KeyError: a vector is missing.
    """
    return PreparedDocument(
        draft.record,
        tuple(
            _row(draft.record, chunk, digest, vectors[digest])
            for digest, chunk in zip(draft.hashes, draft.chunks, strict=True)
        ),
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
        search_text=search_text(title, chunk.headings, record.source, chunk.text),
        embedded_sha256=digest,
        vector=vector,
        version=record.version,
        modified_at=record.modified_at,
        indexed_at=record.indexed_at,
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _blank_record(key: str, size: int, modified_at: datetime | None) -> DocumentRecord:
    return DocumentRecord(
        source=key,
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


def _with_problem(record: DocumentRecord, error: DocumentError) -> DocumentRecord:
    return replace(record, state=error.state, reason=error.sentence, retryable=error.retryable)
