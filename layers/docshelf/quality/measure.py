"""Measure how good the text of a document is."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from docshelf.quality.language import language_of
from docshelf.quality.profiles import PROFILES
from docshelf.quality.record import Problem, Quality
from docshelf.quality.sample import sampled
from docshelf.quality.words import glued_words, split_words, words_of

if TYPE_CHECKING:
    from docshelf.documents.model import Document

_BAD_SHARE, _FEWEST_BAD = 0.01, 5
_GLUED_SHARE, _FEWEST_GLUED = 0.01, 5
_SPLIT_SHARE, _FEWEST_SPLIT = 0.03, 10
_CHARACTERS_A_PAGE = 20
_EMPTY_SHARE = 0.2
_MEANINGLESS = frozenset(("Cc", "Co", "Cn", "Cs"))
_NO_PROFILE: frozenset[str] = frozenset()


def measured(document: Document) -> Quality:
    """What is to be said of `document`'s text; of a long text a sample stands for all, so that the time is bounded.

    Above each share below which the worst of some thousand good documents stays, and from a few finds on, a number
    becomes a problem.
    """
    text = sampled(document.text)
    characters = Counter(text)
    visible = sum(times for character, times in characters.items() if not character.isspace())
    bad = sum(times for character, times in characters.items() if _is_bad(character))
    words = words_of(text)
    counts = Counter(filter(None, words))
    language = language_of(characters, counts)
    plain = PROFILES[language].plain if language in PROFILES else _NO_PROFILE
    glued, split = glued_words(text, counts, plain), split_words(words, counts)
    pages = document.pages or 0
    empty = pages - len({block.page for block in document.blocks if block.page is not None}) if pages else 0
    found = {
        Problem.BAD_CHARACTERS: bad >= _FEWEST_BAD and bad >= _BAD_SHARE * visible,
        Problem.GLUED_WORDS: glued >= _FEWEST_GLUED and glued >= _GLUED_SHARE * counts.total(),
        Problem.SPLIT_WORDS: split >= _FEWEST_SPLIT and split >= _SPLIT_SHARE * counts.total(),
        Problem.LITTLE_TEXT: len(document.text) < _CHARACTERS_A_PAGE * pages,
        Problem.PAGES_WITHOUT_TEXT: empty > _EMPTY_SHARE * pages,
    }
    return Quality(
        characters=len(document.text),
        bad=_share(bad, visible),
        glued=_share(glued, counts.total() + glued),
        split=_share(split, counts.total()),
        language=language,
        pages=pages,
        empty_pages=max(empty, 0),
        problems=tuple(problem for problem, is_so in found.items() if is_so),
    )


def _is_bad(character: str) -> bool:
    if character == "\ufffd":
        return True
    return not character.isprintable() and not character.isspace() and unicodedata.category(character) in _MEANINGLESS


def _share(part: int, whole: int) -> float:
    return round(min(1.0, part / whole), 4) if whole else 0.0
