"""Saying how far an answer can be trusted: nothing relevant, or only neighbours without one word of the query."""

from __future__ import annotations

from docshelf.search.retrieval import Ranking

_CHANCE = {"all-minilm-l6-v2": 0.1}
"""Below this cosine, a neighbour without one word of the query is chance.

A model that is not named here (bge cosines all lie close together) has no such cut.
"""

_NOTHING = "Nothing relevant was found on this shelf; try other words, or list_documents to see what there is."
_NO_WORDS = "The query holds no words to search for; ask a question or give a name."
_WEAK = "No document holds a word of this query: these are the nearest passages, and they may be unrelated."


def relevant(ranking: Ranking, model: str) -> bool:
    """Whether the ranking answers at all: words of the query were found, or something similar enough."""
    if ranking.words:
        return True
    return ranking.similarity is not None and ranking.similarity >= _CHANCE.get(model, -1.0)


def message_for(ranking: Ranking, *, found: bool) -> str | None:
    """The sentence that goes with the answer; None where passages hold words of the query."""
    if not any(character.isalnum() for character in ranking.plan.text):
        return _NO_WORDS
    if not found:
        return _NOTHING
    return None if ranking.words else _WEAK
