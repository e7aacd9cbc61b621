"""From a query to ranked chunks: candidates of each arm, weighed by what the query is, fused, guarded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from docshelf.index.filters import Filters
from docshelf.index.records import Candidate, StoredChunk
from docshelf.search.fusion import Arm, fuse, keep_exact_hits
from docshelf.search.query import QueryPlan, holds_words, plan

CANDIDATES = 50
"""Chunks asked of each arm."""

PHRASE_WEIGHT = 0.35
"""Trust in an exact phrase hit, on top of what full text gives it, against full text's 1."""

EXACT_HITS = 2
"""Chunks with an exact hit that fusion may not push out of the answer."""


class QueryTokenizer(Protocol):
    """The model's tokenizer, as far as judging a query needs it."""

    def known_word_share(self, text: str) -> float:
        """0..1: how much of the query is in words that the model knows."""
        ...


class QueryEmbedder(Protocol):
    """The model, as far as a query needs it."""

    @property
    def tokenizer(self) -> QueryTokenizer:
        """The model's tokenizer."""
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a query."""
        ...


class CandidateIndex(Protocol):
    """The searching half of `docshelf.index.store.Index`."""

    def vector_candidates(self, vector: NDArray[np.float32], limit: int, filters: Filters) -> list[Candidate]:
        """The chunks most similar to `vector`, best first."""
        ...

    def text_candidates(self, query: str, limit: int, filters: Filters) -> list[Candidate]:
        """The chunks that hold words of `query`, best first."""
        ...

    def phrase_candidates(self, phrase: str, limit: int, filters: Filters) -> list[Candidate]:
        """The chunks that hold `phrase` as it stands, best first."""
        ...


@dataclass(frozen=True, slots=True)
class RankedChunk:
    """A chunk and its fused score: 1.0 when it is first in every arm."""

    chunk: StoredChunk
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ranked chunks, best first, and what the decision "nothing relevant" is made from.

    `similarity` is the best cosine of the vector arm (None when it was not asked), `words` whether full text found
    anything.
    """

    chunks: tuple[RankedChunk, ...]
    plan: QueryPlan
    similarity: float | None
    words: bool


def rank(index: CandidateIndex, embedder: QueryEmbedder, query: str, limit: int, filters: Filters) -> Ranking:
    """Rank the chunks for `query`; `limit` is the size of the answer that exact hits must stand in.

    Raises:
        IndexCorruptError: the index cannot be read.
    """
    planned = plan(query, embedder.tokenizer.known_word_share(query))
    if not holds_words(planned.text):  # what the model makes of signs alone is chance
        return Ranking((), planned, None, words=False)
    text = index.text_candidates(planned.text, CANDIDATES, filters)
    phrases = [
        _literal_first(index.phrase_candidates(phrase, CANDIDATES, filters), phrase) for phrase in planned.phrases
    ]
    weight = planned.vector_weight if text else 1.0
    vector = index.vector_candidates(embedder.embed_query(planned.text), CANDIDATES, filters) if weight > 0 else []
    chunks: dict[str, StoredChunk] = {
        candidate.chunk.chunk_id: candidate.chunk for arm in (vector, text, *phrases) for candidate in arm
    }
    phrase_weight = PHRASE_WEIGHT / max(1, len(phrases))
    fused = fuse(
        [
            Arm(_ids(text)),
            Arm(_ids(vector), weight),
            *(Arm(_ids(hits), phrase_weight) for hits in phrases),
        ]
    )
    guarded = keep_exact_hits(fused, _exact(text, phrases), limit)
    return Ranking(
        tuple(RankedChunk(chunks[chunk_id], score) for chunk_id, score in guarded),
        planned,
        vector[0].score if vector else None,
        words=bool(text),
    )


def _literal_first(hits: list[Candidate], phrase: str) -> list[Candidate]:
    """Hits that hold the phrase as it is written before those that hold only its words (`--force-reload`)."""
    wanted = phrase.casefold()
    return sorted(hits, key=lambda hit: wanted not in hit.chunk.text.casefold())


def _ids(candidates: list[Candidate]) -> list[str]:
    return [candidate.chunk.chunk_id for candidate in candidates]


def _exact(text: list[Candidate], phrases: list[list[Candidate]]) -> list[str]:
    """What fusion may not lose: full text's first hit and the first hits of the phrases."""
    hits = [*_ids(text)[:1], *(chunk_id for arm in phrases for chunk_id in _ids(arm)[:EXACT_HITS])]
    return list(dict.fromkeys(hits))[: EXACT_HITS + 1]
