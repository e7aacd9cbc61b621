"""From a query to ranked chunks: candidates of each arm, weighed by what the query is, fused, guarded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from docshelf.background import both
from docshelf.index.filters import Filters
from docshelf.index.records import Candidate, StoredChunk
from docshelf.search.fusion import Arm, above, by_rank, fuse, keep_exact_hits
from docshelf.search.query import QueryPlan, holds_words, plan, vector_share
from docshelf.search.sentences import by_sentences

CANDIDATES = 100
"""Chunks asked of each arm."""

LITERAL_LOOKS = 20
"""Phrase hits, best first, whose texts are looked at for the phrase as it is written."""

COMMON_HITS = 30
"""A phrase that so many chunks hold is a name that the documents are full of (`PostgreSQL`), and tells nothing."""

PHRASE_WEIGHT = 0.15
"""Weight of exact phrase hits, on top of what full text and vectors give them, which together weigh 1."""

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
    """The searching half of `docshelf.index.store.Index`; rows are ids that hold within one version of it."""

    def vector_candidates(self, vector: NDArray[np.float32], limit: int, filters: Filters) -> list[Candidate]:
        """The chunks most similar to `vector`, best first."""
        ...

    def text_candidates(self, query: str, limit: int, filters: Filters) -> list[Candidate]:
        """The chunks that hold words of `query`, best first."""
        ...

    def phrase_candidates(self, phrase: str, limit: int, filters: Filters) -> list[Candidate]:
        """The chunks that hold `phrase` as it stands, best first."""
        ...

    def chunks_at(self, rows: Sequence[int]) -> dict[int, StoredChunk]:
        """The chunks in these rows."""
        ...


@dataclass(frozen=True, slots=True)
class RankedRow:
    """The row of a chunk and its fused score: 1.0 when it is first in every arm."""

    row: int
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ranked rows, best first, and what the decision "nothing relevant" is made from.

    `similarity` is the best cosine of the vector arm (None when it was not asked), `words` whether full text found
    anything, `exact` whether a phrase was found that few chunks hold, `missing` the phrases that no chunk holds.
    """

    rows: tuple[RankedRow, ...]
    plan: QueryPlan
    similarity: float | None
    words: bool
    exact: bool = False
    missing: tuple[str, ...] = ()


def rank(index: CandidateIndex, embedder: QueryEmbedder, query: str, limit: int, filters: Filters) -> Ranking:
    """Rank the chunks for `query`; `limit` is the size of the answer that exact hits must stand in.

    Raises:
        IndexCorruptError: the index cannot be read.
    """
    planned = plan(query, embedder.tokenizer.known_word_share(query))
    if not holds_words(planned.text):  # what the model makes of signs alone is chance
        return Ranking((), planned, None, words=False)

    def by_words() -> tuple[list[Candidate], list[list[Candidate]]]:
        text = index.text_candidates(planned.text, CANDIDATES, filters)
        return text, [_literal_first(index, phrase, filters) for phrase in planned.phrases]

    def by_meaning() -> list[Candidate]:
        return index.vector_candidates(embedder.embed_query(planned.text), CANDIDATES, filters)

    # With its indexes not in memory, each arm waits for object storage.
    vector, (text, phrases) = both(by_meaning if planned.vector_trust > 0 else list, by_words)
    exact = any(0 < len(hits) < COMMON_HITS for hits in phrases)
    share = vector_share(planned, [hit.score for hit in text], exact=exact)
    if not text and not share:
        vector, share = by_meaning(), 1.0
    phrase_weight = PHRASE_WEIGHT / max(1, len(phrases))
    fused = fuse(
        [
            Arm(above(_hits(text), _floor(text)), 1 - share),
            Arm(above(_hits(vector), vector[-1].score if vector else 0.0), share),
            *(Arm(by_rank(_rows(hits)), phrase_weight) for hits in phrases),
        ]
    )
    if text and not exact:
        fused = by_sentences(planned.text, fused, index.chunks_at, planned.vector_trust)
    guarded = keep_exact_hits(fused, _exact(text, phrases), limit)
    return Ranking(
        tuple(RankedRow(row, score) for row, score in guarded),
        planned,
        vector[0].score if vector else None,
        words=bool(text),
        exact=exact,
        missing=tuple(phrase for phrase, hits in zip(planned.phrases, phrases, strict=True) if not hits),
    )


def _literal_first(index: CandidateIndex, phrase: str, filters: Filters) -> list[Candidate]:
    """Hits that hold the phrase as it is written before those that hold only its words (`--force-reload`).

    Part of a longer name is not the phrase: `max_connections` is not in `redis_max_connections`.
    """
    hits = index.phrase_candidates(phrase, CANDIDATES, filters)
    begin, end = (r"\b" if edge.isalnum() or edge == "_" else "" for edge in (phrase[0], phrase[-1]))
    wanted = re.compile(f"{begin}{re.escape(phrase)}{end}", re.IGNORECASE)
    looked_at = hits[:LITERAL_LOOKS]
    chunks = index.chunks_at(_rows(looked_at)) if len(hits) > 1 else {}
    literal = {row for row, chunk in chunks.items() if wanted.search(chunk.text)}
    return [*sorted(looked_at, key=lambda hit: hit.row not in literal), *hits[LITERAL_LOOKS:]]


def _floor(text: list[Candidate]) -> float:
    """What the best chunk that full text did not give may have: the last score, or nothing where it gave them all."""
    return text[-1].score if len(text) >= CANDIDATES else 0.0


def _hits(candidates: list[Candidate]) -> list[tuple[int, float]]:
    return [(candidate.row, candidate.score) for candidate in candidates]


def _rows(candidates: list[Candidate]) -> list[int]:
    return [candidate.row for candidate in candidates]


def _exact(text: list[Candidate], phrases: list[list[Candidate]]) -> list[int]:
    """What fusion may not lose: full text's first hit and the first hits of the phrases."""
    hits = [*_rows(text)[:1], *(row for arm in phrases for row in _rows(arm)[:EXACT_HITS])]
    return list(dict.fromkeys(hits))[: EXACT_HITS + 1]
