"""Full-text queries as objects: nothing in a person's text is ever read as an operator."""

from __future__ import annotations

from collections.abc import Sequence

from lancedb.query import BooleanQuery, FullTextOperator, FullTextQuery, MatchQuery, Occur, PhraseQuery

_COLUMN = "search_text"


def words_query(text: str, *, every_word: bool = False, weight: float = 1.0) -> FullTextQuery:
    """Chunks that hold any word of `text`, or every word of it."""
    return MatchQuery(
        text,
        _COLUMN,
        boost=weight,
        fuzziness=0,
        max_expansions=50,
        operator=FullTextOperator.AND if every_word else FullTextOperator.OR,
        prefix_length=0,
        document_granularity=None,
    )


def phrase_query(text: str) -> FullTextQuery:
    """Chunks that hold the words of `text` side by side in this order."""
    return PhraseQuery(text, _COLUMN, slop=0, document_granularity=None)


def any_query(queries: Sequence[FullTextQuery]) -> FullTextQuery:
    """Chunks that fit one of several queries (at least one); the scores of those that fit add up."""
    if len(queries) == 1:
        return queries[0]
    return BooleanQuery([(Occur.SHOULD, query) for query in queries])
