"""The language of a text, told from its scripts and its commonest short words; no dictionary and no model."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from heapq import nlargest
from operator import itemgetter

from docshelf.quality.profiles import SCRIPTS, weights

_FEWEST_LETTERS = 20
_DOMINANT = 0.5
_KANA = 0.05
_OF_SIGNS = ("CJK", "HIRAGANA", "KATAKANA")
_LETTERS_A_SIGN = 2
_FEWEST_HITS = 5
_FEWEST_DIFFERENT = 3
_FEWEST_SHARE = 0.06
_MARGIN = 1.1
_PERSIAN = frozenset("پچژگکی")
_URDU = frozenset("ٹڈڑےں")


def language_of(characters: Mapping[str, int], words: Mapping[str, int]) -> str | None:
    """The ISO 639 code of the dominant language, or None where none is plain (tables, code, a few words).

    `characters` counts the text's characters, `words` its words in lower case.

    A script that is one language's decides. Chinese and Japanese are told apart by kana, Arabic, Persian and Urdu by
    letters of their own. Languages of the Latin and the Cyrillic script are told by the share of the text's words that
    are among the commonest of each: a word that several languages have counts as a part for each of them.
    """
    scripts = _scripts(characters)
    for name in _OF_SIGNS:
        scripts[name] *= _LETTERS_A_SIGN
    total = scripts.total()
    if total < _FEWEST_LETTERS:
        return None
    kana = scripts["HIRAGANA"] + scripts["KATAKANA"]
    if kana + scripts["CJK"] > _DOMINANT * total:
        return "ja" if kana > _KANA * (kana + scripts["CJK"]) else "zh"
    name, most = scripts.most_common(1)[0]
    if most <= _DOMINANT * total:
        return None
    if name == "ARABIC":
        return _of_arabic_script(characters)
    return SCRIPTS[name] if name in SCRIPTS else _by_words(words)


def _scripts(characters: Mapping[str, int]) -> Counter[str]:
    """How many letters each script has; a script is the first word of its letters' names."""
    scripts: Counter[str] = Counter()
    for character, times in characters.items():
        if "a" <= character <= "z" or "A" <= character <= "Z":
            scripts["LATIN"] += times
        elif character.isalpha():
            name = unicodedata.name(character, "UNKNOWN").removeprefix("HALFWIDTH ").removeprefix("FULLWIDTH ")
            scripts[name.partition(" ")[0].partition("-")[0]] += times
    return scripts


def _of_arabic_script(characters: Mapping[str, int]) -> str:
    total = sum(times for character, times in characters.items() if character.isalpha())
    urdu = sum(characters.get(letter, 0) for letter in _URDU)
    persian = sum(characters.get(letter, 0) for letter in _PERSIAN)
    if urdu > 0.01 * total:
        return "ur"
    return "fa" if persian > 0.01 * total else "ar"


def _by_words(words: Mapping[str, int]) -> str | None:
    total = sum(words.values())
    scores: dict[str, float] = {}
    hits: Counter[str] = Counter()
    different: Counter[str] = Counter()
    longer: Counter[str] = Counter()
    known = weights()
    for word, times in words.items():
        for language, weight in known.get(word, ()):
            scores[language] = scores.get(language, 0.0) + times * weight
            hits[language] += times
            different[language] += 1
            longer[language] += len(word) > 1  # letters set apart are words of many languages
    ranked = nlargest(2, scores.items(), key=itemgetter(1))
    if not ranked:
        return None
    (best, score), second = ranked[0], ranked[1][1] if len(ranked) > 1 else 0.0
    enough = hits[best] >= max(_FEWEST_HITS, _FEWEST_SHARE * total) and different[best] >= _FEWEST_DIFFERENT
    return best if enough and longer[best] and score >= _MARGIN * second else None
