"""Saying how far an answer can be trusted: nothing relevant, or only neighbours without one word of the query."""

from __future__ import annotations

import re
from collections.abc import Iterable

from docshelf.index.search_text import STEM_LETTERS, fold, normalise_query, parts_of
from docshelf.index.stop_words import without_stop_words
from docshelf.languages import WORDLESS_SCRIPTS, language_of
from docshelf.mcp_server.display import quoted
from docshelf.mcp_server.shelf import Passage
from docshelf.search.query import is_plain_name
from docshelf.search.retrieval import Ranking

_CHANCE = {"all-minilm-l6-v2": 0.3}
"""Below this cosine of the nearest chunk a question is of another subject: see docs/quality.md.

A model that is not named here (bge cosines all lie close together) has no such cut.
"""

_COVERED = 0.5
"""A passage that holds this share of the query's words answers however far the vectors are."""

_COVERED_ALONE = 0.2
"""What a passage must hold where no vector was asked, as the model does not know the language."""

_LOOKED_AT = 5
"""Passages, best first, that must show that the question is answered."""

# As in the index, an ideograph ends a word that stands beside it.
_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORDS = re.compile(f"[{_IDEOGRAPHS}]|[^\\W_{_IDEOGRAPHS}]+")

_NOTHING = "Nothing relevant was found on this shelf; try other words, or list_documents to see what there is."
_NO_WORDS = "The query holds no words to search for; ask a question or give a name."
_NOT_AS_WRITTEN = "No document holds {} as it is written: these are the nearest passages, and they may be unrelated."
_SHOWN_NAMES, _SHOWN_OF_A_NAME = 3, 60
_WEAK = "No document holds a word of this query: these are the nearest passages, and they may be unrelated."


def covered(query: str, passages: Iterable[Passage]) -> float | None:
    """The largest share of the query's words that one of the passages holds, 0..1, by the beginnings of words.

    A word that is not held counts by the parts of it that are (`maxRetryCount`, Korean words with their particles).
    None where the query's script does not separate words: then nothing is told.
    """
    normalised = normalise_query(query)
    language = language_of(normalised)
    asked = set(_WORDS.findall(fold(without_stop_words(normalised, language))))
    if language in WORDLESS_SCRIPTS or not asked:
        return None
    parts = {_beginning(word): [_beginning(part) for part in parts_of(word)] for word in asked}
    held = (_held(" ".join([one.title, *one.headings, one.source, one.text])) for one in passages)
    return max((sum(_share(word, parts[word], words) for word in parts) / len(parts) for words in held), default=0.0)


def relevant(ranking: Ranking, model: str, passages: tuple[Passage, ...]) -> bool:
    """Whether the ranking's passages answer at all: near enough, with its names, or with enough of its words."""
    cut = _CHANCE.get(model, -1.0)
    if ranking.exact or (ranking.similarity is not None and ranking.similarity >= cut):
        return True
    if not ranking.words:
        return False
    share = covered(ranking.plan.text, passages[:_LOOKED_AT])
    return share is None or share >= (_COVERED_ALONE if ranking.similarity is None else _COVERED)


def message_for(ranking: Ranking, *, found: bool) -> str | None:
    """The sentence that goes with the answer; None where passages hold words of the query and the names in it."""
    if not any(character.isalnum() for character in ranking.plan.text):
        return _NO_WORDS
    if not found:
        return _NOTHING
    missing = [quoted(phrase, _SHOWN_OF_A_NAME) for phrase in ranking.missing if is_plain_name(phrase)][:_SHOWN_NAMES]
    if missing:
        return _NOT_AS_WRITTEN.format(" or ".join(missing))
    return None if ranking.words else _WEAK


def _held(text: str) -> set[str]:
    folded = fold(text)
    return {_beginning(word) for word in (*_WORDS.findall(folded), *parts_of(folded))}


def _share(word: str, parts: list[str], held: set[str]) -> float:
    if word in held:
        return 1.0
    return sum(part in held for part in parts) / len(parts) if parts else 0.0


def _beginning(word: str) -> str:
    return word.casefold()[:STEM_LETTERS]
