"""What kind of query it is, and therefore how far each arm of the search is trusted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MAX_QUERY_CHARACTERS = 2_000
"""A longer query is cut: both the model and full text look at its first part only."""

IDENTIFIER_SHARE = 0.15
"""The vectors' share of the score when a query holds quotes or identifiers: see docs/quality.md."""

LEAST_SHARE, MOST_SHARE = 0.4, 0.65
"""The vectors' share in other queries, where the words decide and where they do not."""

INDECISIVE, DECISIVE = 0.2, 0.5
"""How far full text's tenth hit falls short of its first, as a part of that, where words do not decide and do."""

_COMPARED_HIT = 10

_QUOTED = re.compile(r"[\"“”«»„]([^\"“”«»„]{2,200})[\"“”«»„]|`([^`]{2,200})`")
_IDENTIFIER = re.compile(
    r"""(?<![\w])(?:
        --?[A-Za-z][\w-]*(?:=\S+)?            # --flag-x, -v
      | /?[\w$@]+(?:(?:\.|::|/|->|\#|:|_|-)[\w$@]+)*[\w$@]*(?:\(\))?  # a.b, a_b, a/b, a::b, kebab-case, call()
    )""",
    re.VERBOSE,
)
# What nobody writes by chance, as people do `and/or` and `e.g.`.
_PLAIN_NAME = re.compile(r"[_()\s\d]|::|^-|[a-z][A-Z]|\w{2}\.\w{2}")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2,}[a-z]")
_DIGIT_AND_LETTER = re.compile(r"[A-Za-z]\d|\d[A-Za-z]|\d\.\d")


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """How to search for one query.

    `text` is the cleaned query. `phrases` are quoted strings and identifiers: they must be found as they stand.
    `vector_trust` in 0..1 is how far the model knows the language.
    """

    text: str
    phrases: tuple[str, ...]
    vector_trust: float


def clean(query: str) -> str:
    """`query` without control characters, white space runs collapsed, cut to `MAX_QUERY_CHARACTERS`."""
    text = "".join(character if character.isprintable() else " " for character in query[: 4 * MAX_QUERY_CHARACTERS])
    return " ".join(text.split())[:MAX_QUERY_CHARACTERS]


def holds_words(text: str) -> bool:
    """Whether there is a letter or a digit to search for."""
    return any(character.isalnum() for character in text)


def phrases_of(text: str, most: int = 6) -> tuple[str, ...]:
    """The quoted strings and identifiers of `text`, in order of appearance, without repeats."""
    found = [first or second for first, second in _QUOTED.findall(text)]
    rest = _QUOTED.sub(" ", text)
    found += [match.group() for match in _IDENTIFIER.finditer(rest) if _is_identifier(match.group())]
    return tuple(dict.fromkeys(phrase.strip() for phrase in found if phrase.strip()))[:most]


def is_plain_name(phrase: str) -> bool:
    """Whether a phrase is surely meant as it stands: several words in quotes, a flag, a name with signs within."""
    return _PLAIN_NAME.search(phrase) is not None


def plan(query: str, known_word_share: float) -> QueryPlan:
    """Decide from the query alone.

    Args:
        query: as the caller wrote it.
        known_word_share: 0..1, how much of the query is in a language that the model was trained on.

    Where the model does not know the words its vectors are noise and only full text answers.
    """
    text = clean(query)
    return QueryPlan(text, phrases_of(text), vector_trust(known_word_share))


def vector_trust(known_word_share: float) -> float:
    """Trust in the vectors: none where half of the words are unknown, full from seven in ten on.

    99 of 100 English queries of the sets in docs/quality.md lie above 0.67, 95 of 100 German ones at or below 0.5.
    """
    return min(1.0, max(0.0, (known_word_share - 0.5) / 0.2))


def vector_share(planned: QueryPlan, text_scores: Sequence[float], *, exact: bool) -> float:
    """The vectors' share of the fused score, 0..1; `text_scores` are those of full text's hits, best first.

    `exact` says that an identifier or a quoted string was found where few others are: the caller knows the words of
    the answer. In other queries the words decide as far as the best of the hits stands out: where the tenth is nearly
    as good, the question is in other words than its answer.
    """
    if not text_scores:
        return min(1.0, planned.vector_trust)
    share = IDENTIFIER_SHARE
    if not exact:
        compared = text_scores[_COMPARED_HIT - 1] if len(text_scores) >= _COMPARED_HIT else 0.0
        standing_out = 1 - compared / text_scores[0] if text_scores[0] > 0 else 0.0
        decided = min(1.0, max(0.0, (standing_out - INDECISIVE) / (DECISIVE - INDECISIVE)))
        share = MOST_SHARE - decided * (MOST_SHARE - LEAST_SHARE)
    return share * planned.vector_trust


def _is_identifier(word: str) -> bool:
    if word.startswith("-"):
        return True
    inner = re.search(r"\w(?:\.|::|/|->|#|:|_)\w", word) is not None
    return inner or bool(_CAMEL.search(word) or _DIGIT_AND_LETTER.search(word)) or word.endswith("()")
