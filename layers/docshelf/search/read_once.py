"""An index of which one search reads no chunk twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from docshelf.index.filters import Filters
from docshelf.index.records import Candidate, StoredChunk
from docshelf.search.retrieval import CandidateIndex


class ReadOnce:
    """A `CandidateIndex` over another, for one search: on object storage each reading of chunks waits for answers."""

    def __init__(self, index: CandidateIndex) -> None:
        self._index = index
        self._chunks: dict[int, StoredChunk] = {}

    def vector_candidates(self, vector: NDArray[np.float32], limit: int, filters: Filters) -> list[Candidate]:
        """Those of the index."""
        return self._index.vector_candidates(vector, limit, filters)

    def text_candidates(self, query: str, limit: int, filters: Filters) -> list[Candidate]:
        """Those of the index."""
        return self._index.text_candidates(query, limit, filters)

    def phrase_candidates(self, phrase: str, limit: int, filters: Filters) -> list[Candidate]:
        """Those of the index."""
        return self._index.phrase_candidates(phrase, limit, filters)

    def chunks_at(self, rows: Sequence[int]) -> dict[int, StoredChunk]:
        """The chunks in these rows; only those that were not read before are asked of the index."""
        missing = [row for row in rows if row not in self._chunks]
        if missing:
            self._chunks |= self._index.chunks_at(missing)
        return {row: self._chunks[row] for row in rows if row in self._chunks}
