"""Made-up documents with vectors that need no model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from docshelf.index.records import ChunkRecord, DocumentRecord, PreparedDocument
from docshelf.index.search_text import search_text
from docshelf.quality.record import Quality
from docshelf.states import State

DIMENSION = 16
MOMENT = datetime(2026, 5, 4, 3, 2, 1, 123456, tzinfo=UTC)

Vector = NDArray[np.float32]


def vector_of(text: str) -> Vector:
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8])
    vector: Vector = np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
    return vector / np.linalg.norm(vector)


def make(
    source: str,
    texts: Sequence[str] = (),
    *,
    state: State = State.INDEXED,
    version: str = "1",
    reason: str | None = None,
    title: str | None = "A title",
    quality: Quality | None = None,
) -> PreparedDocument:
    collection = source.partition("/")[0] if "/" in source else "general"
    chunks = tuple(
        ChunkRecord(
            source=source,
            collection=collection,
            ordinal=ordinal,
            title=title,
            headings=("Part", "Section"),
            page=ordinal + 1,
            page_label="iv",
            first_line=ordinal * 2 + 1,
            last_line=ordinal * 2 + 2,
            line_kind="source",
            text=text,
            opening="```\n",
            closing="```\n",
            version=version,
            modified_at=MOMENT,
            indexed_at=MOMENT,
            key=source,
            search_text=search_text(title, (), source, text),
            embedded_sha256=hashlib.sha256(text.encode()).hexdigest(),
            vector=vector_of(text),
        )
        for ordinal, text in enumerate(texts)
    )
    record = DocumentRecord(
        source=source,
        key=source,
        collection=collection,
        state=state,
        reason=reason,
        retryable=False,
        version=version,
        content_sha256=hashlib.sha256(version.encode()).hexdigest(),
        title=title,
        media_type="text/markdown",
        pages=None,
        chunks=len(chunks),
        characters=sum(map(len, texts)),
        bytes=sum(len(text.encode()) for text in texts),
        line_kind="source",
        first_line=1,
        modified_at=MOMENT,
        indexed_at=MOMENT,
        warnings=("A picture was left out.",),
        quality=quality,
    )
    return PreparedDocument(record, chunks)


def with_members(holder: PreparedDocument, *members: PreparedDocument) -> PreparedDocument:
    """`holder` with `members`, which become documents of its key."""
    key, collection = holder.record.key, holder.record.collection
    renamed = tuple(
        PreparedDocument(
            replace(member.record, key=key, collection=collection),
            tuple(replace(chunk, key=key, collection=collection) for chunk in member.chunks),
        )
        for member in members
    )
    return replace(holder, record=replace(holder.record, members=len(members)), members=renamed)
