"""Candidates for a query: by vector, by words, by phrase."""

from __future__ import annotations

from typing import cast

import numpy as np
import pyarrow as pa
from lancedb.query import FullTextQuery, LanceFtsQueryBuilder, LanceVectorQueryBuilder
from numpy.typing import NDArray

from docshelf.index.engine import Tables
from docshelf.index.filters import EVERYTHING, Filters, condition
from docshelf.index.full_text import any_query, phrase_query, words_query
from docshelf.index.records import Candidate
from docshelf.index.search_text import fold, normalise_query, parts_of, stems_of
from docshelf.index.stop_words import without_stop_words
from docshelf.languages import language_of

_MAX_QUERY_PARTS = 64
_PARTS_WEIGHT = 0.3
"""Words found within the query's words count less than the words themselves (nDCG 0.66 to 0.72 on code)."""

_STEMS_WEIGHT = 1.0
"""Beginnings of words count as much as the words: nDCG 0.93 to 0.96 on German, 0.87 to 0.94 on Russian."""

_MAX_PHRASE_CHARACTERS = 500


class Querying(Tables):
    """The searching half of an index.

    Candidates are row ids: where the indexes are in memory (see `warm`), finding them asks object storage for nothing.
    """

    def vector_candidates(
        self, vector: NDArray[np.float32], limit: int, filters: Filters = EVERYTHING
    ) -> list[Candidate]:
        """The `limit` chunks most similar to `vector` (float32, the index's dimension), best first.

        Raises:
            ValueError: the vector has another dimension, is not finite or has no direction.
            IndexCorruptError: the index cannot be read.
        """
        if vector.shape != (self.identity.dimension,) or not np.isfinite(vector).all() or not vector.any():
            raise ValueError(f"a query vector has {self.identity.dimension} finite numbers, not all of them zero")
        unit = vector / np.linalg.norm(vector)
        where = condition(filters)

        def search() -> pa.Table:
            query = self._chunks.search(unit, query_type="vector", vector_column_name="vector")
            query = cast("LanceVectorQueryBuilder", query).distance_type("l2")
            if where is not None:
                query = query.where(where, prefilter=True)
            return query.select(["_distance"]).with_row_id(True).limit(limit).to_arrow()

        # Between unit vectors the squared distance is twice what the cosine falls short of one.
        found = self._reading(search).to_pylist()
        return [Candidate(row["_rowid"], 1.0 - row["_distance"] / 2) for row in found]

    def text_candidates(
        self, query: str, limit: int, filters: Filters = EVERYTHING, *, every_word: bool = False
    ) -> list[Candidate]:
        """The `limit` chunks that hold words of `query`, by BM25, best first; operators mean nothing special.

        Words inside words are looked for too, with less weight. With `every_word` only chunks that hold all of the
        query's words. A query without words (blank, punctuation) finds nothing. Stop words count only where there are
        no others.
        """
        normalised = normalise_query(query)
        language = language_of(normalised)
        text = without_stop_words(normalised, language)
        wanted = [words_query(text, every_word=every_word)]
        if not every_word:
            added = (
                (parts_of(text, _MAX_QUERY_PARTS), _PARTS_WEIGHT),
                (stems_of(text, language, _MAX_QUERY_PARTS), _STEMS_WEIGHT),
            )
            wanted += [words_query(" ".join(words), weight=weight) for words, weight in added if words]
        return self._full_text(any_query(wanted), limit, filters) if text else []

    def phrase_candidates(self, phrase: str, limit: int, filters: Filters = EVERYTHING) -> list[Candidate]:
        """The `limit` chunks that hold the words of `phrase` next to each other in this order, by BM25, best first."""
        text = " ".join(fold(phrase[:_MAX_PHRASE_CHARACTERS]).split())
        return self._full_text(phrase_query(text), limit, filters) if text else []

    def _full_text(self, text: FullTextQuery, limit: int, filters: Filters) -> list[Candidate]:
        where = condition(filters)

        def search() -> pa.Table:
            query = cast("LanceFtsQueryBuilder", self._chunks.search(text, query_type="fts"))
            if where is not None:
                query = query.where(where, prefilter=True)
            return query.select(["_score"]).with_row_id(True).limit(limit).to_arrow()

        return [Candidate(row["_rowid"], row["_score"]) for row in self._reading(search).to_pylist()]
