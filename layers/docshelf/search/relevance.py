"""Saying "nothing relevant" when there is nothing."""

from __future__ import annotations

from docshelf.search.retrieval import Ranking

_LEAST_SIMILARITY = {"all-minilm-l6-v2": 0.25}
"""Below this cosine a neighbour without one word of the query is chance. Measured: see docs/quality.md.

A model that is not named here (bge cosines all lie close together) has no such cut.
"""


def relevant(ranking: Ranking, model: str) -> bool:
    """Whether the ranking answers at all: words of the query were found, or something similar enough."""
    if ranking.words:
        return True
    return ranking.similarity is not None and ranking.similarity >= _LEAST_SIMILARITY.get(model, -1.0)


def message_for(ranking: Ranking) -> str:
    """The sentence that stands where there are no passages."""
    if not any(character.isalnum() for character in ranking.plan.text):
        return "The query holds no words to search for; ask a question or give a name."
    return "Nothing relevant was found on this shelf; try other words, or list_documents to see what there is."
