"""The best sentence decides among full text's first hits, where no vector tells which of them answers.

BM25 counts the words of a whole chunk, whichever sentences they stand in; an answer mostly has those of the question in
one. Where the vectors count, this finds nothing more. See docs/quality.md.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from docshelf.index.records import StoredChunk
from docshelf.index.search_text import STEM_LETTERS, fold, normalise_query
from docshelf.index.stop_words import without_stop_words
from docshelf.languages import language_of

LOOKED_AT = 20
"""First hits that are put in order; those behind them keep their places."""

WEIGHT = 1.0
"""Of the words that a hit holds, beside its own score, where the vectors do not count at all."""

# Scripts in which words are not set apart, or particles are written onto them, are compared by pairs of signs.
_UNSEPARATED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_TERMS = re.compile(f"[{_UNSEPARATED}]+|[^\\W_{_UNSEPARATED}]+")
_SIGNS = re.compile(f"[{_UNSEPARATED}]")
_SENTENCE_END = re.compile(r"(?<=[.!?\u3002\uff01\uff1f\uff1b\u061f\u06d4\u0964])\s*|\n+")


def by_sentences(
    query: str,
    ranked: Sequence[tuple[int, float]],
    load: Callable[[Sequence[int]], Mapping[int, StoredChunk]],
    trust: float,
) -> list[tuple[int, float]]:
    """Put the first `LOOKED_AT` rows in order by their scores and by the words of `query` in their best sentence.

    `ranked` are rows with scores of 0..1, best first; `trust` (0..1) is how far the vectors counted: with 1 nothing
    changes. Scores stay within 0..1.
    """
    weight, first = WEIGHT * (1 - trust), ranked[:LOOKED_AT]
    asked = _asked(query)
    if weight <= 0 or len(first) < 2 or not asked:
        return list(ranked)
    chunks = load([row for row, _ in first])
    held = _held(asked, [_sentences(chunks[row].text) for row, _ in first])
    moved = [(row, score + weight * share) for (row, score), share in zip(first, held, strict=True)]
    moved.sort(key=lambda pair: -pair[1])
    return [(row, score / (1 + weight)) for row, score in [*moved, *ranked[LOOKED_AT:]]]


def _held(asked: frozenset[str], texts: Sequence[Sequence[frozenset[str]]]) -> list[float]:
    """For each text, 0..1: what its best sentence and the whole of it hold of `asked`; rare terms weigh more."""
    wholes = [frozenset[str]().union(*sentences) & asked for sentences in texts]
    found = Counter(term for whole in wholes for term in whole)
    weights = {term: math.log(1 + (len(texts) - times + 0.5) / (times + 0.5)) for term, times in found.items()}
    total = sum(weights.values())

    def share(terms: frozenset[str]) -> float:
        return sum(weights[term] for term in terms & asked) / total if total else 0.0

    return [
        (share(whole) + max(map(share, sentences), default=0.0)) / 2
        for whole, sentences in zip(wholes, texts, strict=True)
    ]


def _asked(query: str) -> frozenset[str]:
    normalised = normalise_query(query)
    return _terms(without_stop_words(normalised, language_of(normalised)))


def _sentences(text: str) -> list[frozenset[str]]:
    return [_terms(sentence) for sentence in _SENTENCE_END.split(fold(text)) if sentence]


def _terms(text: str) -> frozenset[str]:
    found: set[str] = set()
    for word in _TERMS.findall(text.casefold()):
        if not _SIGNS.match(word):
            found.add(word[:STEM_LETTERS])
        elif len(word) == 1:
            found.add(word)
        else:
            found.update(word[start : start + 2] for start in range(len(word) - 1))
    return frozenset(found)
