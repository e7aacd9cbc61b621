"""Full-text queries as objects: nothing in a person's text is ever read as an operator."""

from __future__ import annotations

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


def either_query(first: FullTextQuery, second: FullTextQuery) -> FullTextQuery:
    """Chunks that fit one of two queries; the scores of both add up."""
    return BooleanQuery([(Occur.SHOULD, first), (Occur.SHOULD, second)])
