"""What the arms of a search find, with the chunks that the rows hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from docshelf.index.filters import EVERYTHING, Filters
from docshelf.index.records import Candidate, StoredChunk
from docshelf.index.store import Index


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk and the score that its arm gave."""

    chunk: StoredChunk
    score: float


def vector_hits(index: Index, vector: NDArray[np.float32], limit: int, filters: Filters = EVERYTHING) -> list[Hit]:
    """The chunks most similar to `vector`."""
    return _hits(index, lambda: index.vector_candidates(vector, limit, filters))


def text_hits(
    index: Index, query: str, limit: int, filters: Filters = EVERYTHING, *, every_word: bool = False
) -> list[Hit]:
    """The chunks that hold words of `query`."""
    return _hits(index, lambda: index.text_candidates(query, limit, filters, every_word=every_word))


def phrase_hits(index: Index, phrase: str, limit: int, filters: Filters = EVERYTHING) -> list[Hit]:
    """The chunks that hold `phrase`."""
    return _hits(index, lambda: index.phrase_candidates(phrase, limit, filters))


def _hits(index: Index, search: Callable[[], list[Candidate]]) -> list[Hit]:
    def read() -> list[Hit]:
        found = search()
        chunks = index.chunks_at([candidate.row for candidate in found])
        return [Hit(chunks[candidate.row], candidate.score) for candidate in found]

    return index.steady(read)
