"""Made-up chunks, and an index and a model that know what the test gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from docshelf.index.filters import Filters
from docshelf.index.records import Candidate, StoredChunk

MOMENT = datetime(2026, 3, 4, tzinfo=UTC)


def chunk(ordinal: int, text: str = "", source: str = "a.md") -> StoredChunk:
    """Chunk `ordinal` of a document of two lines a chunk; those of `a.md` do not name it."""
    name = f"{ordinal}" if source == "a.md" else f"{ordinal} in {source}"
    return StoredChunk(
        source=source,
        collection="general",
        ordinal=ordinal,
        title="Title",
        headings=("Part",),
        page=None,
        page_label=None,
        first_line=2 * ordinal + 1,
        last_line=2 * ordinal + 2,
        line_kind="source",
        text=text or f"first of {name}\nsecond of {name}\n",
        opening="",
        closing="",
        version="1",
        modified_at=MOMENT,
        indexed_at=MOMENT,
    )


def candidates(names: str) -> list[Candidate]:
    """A hit in each document, best first, with falling scores."""
    return [Candidate(ord(name), 0.9 - place / 10) for place, name in enumerate(names)]


@dataclass(slots=True)
class Lists:
    """An index that gives the same candidates for every query, and notes what it was asked and read."""

    vector: str = ""
    text: str = ""
    phrases: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, int, Filters]] = field(default_factory=list)
    read: list[int] = field(default_factory=list)

    def vector_candidates(self, vector: NDArray[np.float32], limit: int, filters: Filters) -> list[Candidate]:
        assert vector.shape == (3,)
        self.asked.append(("vector", limit, filters))
        return candidates(self.vector)

    def text_candidates(self, query: str, limit: int, filters: Filters) -> list[Candidate]:
        self.asked.append((query, limit, filters))
        return candidates(self.text)

    def phrase_candidates(self, phrase: str, limit: int, filters: Filters) -> list[Candidate]:
        self.asked.append((phrase, limit, filters))
        return candidates(self.phrases.get(phrase, ""))

    def chunks_at(self, rows: Sequence[int]) -> dict[int, StoredChunk]:
        self.read += rows
        return {row: chunk(0, self.texts.get(chr(row), ""), source=chr(row)) for row in rows}


@dataclass(slots=True)
class Words:
    """A model that knows a fixed share of the words of any query."""

    share: float = 1.0

    @property
    def tokenizer(self) -> Words:
        return self

    def known_word_share(self, text: str) -> float:
        return self.share if text else 0.0

    def embed_query(self, text: str) -> NDArray[np.float32]:
        assert text
        return np.zeros(3, np.float32)
