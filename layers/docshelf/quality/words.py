"""Words that have lost the space between them, and words that have got one inside, estimated without a dictionary.

A document is its own dictionary. Only what stands between white space and is all letters is a word here: addresses,
paths, numbers, code and markup say nothing. Scripts that are written without spaces, or whose letters are joined by
marks, are left out: Latin, Greek and Cyrillic are looked at.

Glued: a word that is a row of other words of the document, each of them as frequent as the whole, one of them an
article or the like (`theloan`, `ofthebank`); so `filename` is not, in a text about files and names. And runs of more
than 30 letters, of which there must be some: one may be a German compound. Packed data, identifiers and sequences of
bases are told from words by their capitals and by how few different letters they have.

Split: four and more single letters in a row (`l o a n`), or two neighbours (`infor mation`) that are one word elsewhere
in the document and of which one never occurs but there. A word or pair counts twice at most: what recurs is a name
(`isinstance`, `argo cd`). Both are lower bounds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby, pairwise

_LETTERS = "A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0300-\u036f\u0370-\u052f\u1e00-\u1fff"
_AROUND = "\"'*_([{<«‹“”„‘’‚¿¡.,;:!?…)]}>»›"
_WORD = re.compile(f"[{_LETTERS}]++(?:['’‐-][{_LETTERS}]++)*+")
_LONG_RUN = re.compile(f"(?<![\\w/+=&%#@$\\\\-])[{_LETTERS}]{{31,}}+(?![\\w/+=&%#@$\\\\-])")
_HUMP = re.compile("(?<=[a-zß-öø-ÿа-яё])(?=[A-ZÀ-ÖØ-ÞА-ЯЁ])")
_LONGEST_NAME = 60
_A_HUMP = 8
_FEWEST_DIFFERENT = 8
_FEWEST_RUNS = 3
_LETTERS_A_WORD = 6
_SHORTEST_GLUED = 6
_LONGEST_GLUED = 60
_SHORTEST_REST = 4
_FEWEST_SINGLE = 4
_ASCENDING = 0.8
_MOST_OF_ONE = 2


def words_of(text: str) -> list[str]:
    """The words of `text` in order and in lower case; "" stands for whatever else is between white space."""
    return [_word(chunk.strip(_AROUND)) for chunk in text.split()]


def glued_words(text: str, counts: Mapping[str, int], plain: AbstractSet[str]) -> int:
    """How many words of `text` have lost a space; `counts` are its words, `plain` articles and the like."""
    runs = [run for run in _LONG_RUN.findall(text) if _is_prose(run)]
    whole = sum(len(run) // _LETTERS_A_WORD for run in runs) if len(set(runs)) >= _FEWEST_RUNS else 0
    return whole + sum(
        min(times, _MOST_OF_ONE)
        for word, times in counts.items()
        if _SHORTEST_GLUED <= len(word) <= _LONGEST_GLUED
        and word not in plain
        and _is_glued(word.lower(), times, counts, plain)
    )


def split_words(words: Sequence[str], counts: Mapping[str, int]) -> int:
    """How many of `words` (`words_of`, with their `counts`) are no more than parts of words."""
    return _single_letters(words) + _fragments(words, counts)


def _word(chunk: str) -> str:
    if not _WORD.fullmatch(chunk):
        return ""
    return chunk if _humps(chunk) else chunk.lower()


def _humps(chunk: str) -> int:
    """How many capitals follow a small letter, as in identifiers and where a space before a name is lost."""
    return 0 if chunk[1:].islower() or chunk.isupper() else len(_HUMP.findall(chunk))


def _is_prose(run: str) -> bool:
    """Whether a long run of letters is words, and no identifier, sequence of bases or packed data."""
    humps = _humps(run)
    return len(set(run)) >= _FEWEST_DIFFERENT and (
        not humps or (len(run) > _LONGEST_NAME and _A_HUMP * humps < len(run))
    )


def _is_glued(word: str, times: int, counts: Mapping[str, int], plain: AbstractSet[str]) -> bool:
    """Whether `word` is a row of other words, each of them as frequent as the whole, one of them plain.

    `reached[n]` says in which ways the first n letters are such words: 1 without a plain one, 2 with one.
    """
    reached = [1] + [0] * len(word)
    for end in range(2, len(word) + 1):
        for start in range(end - 1):
            if not reached[start] or end - start == len(word):
                continue
            part = word[start:end]
            if part in plain:
                reached[end] |= 2 if counts.get(part, 0) > times else 0
            elif end - start >= _SHORTEST_REST and counts.get(part, 0) >= times:
                reached[end] |= reached[start]
    return reached[-1] >= 2


def _single_letters(words: Sequence[str]) -> int:
    runs = (list(run) for single, run in groupby(words, key=lambda word: len(word) == 1) if single)
    return sum(len(run) for run in runs if len(run) >= _FEWEST_SINGLE and not _is_list(run))


def _is_list(letters: Sequence[str]) -> bool:
    """Whether single letters are a column of marks or go on in the order of the alphabet."""
    ascending = sum(first < second for first, second in pairwise(letters))
    return len(set(letters)) < _FEWEST_SINGLE or ascending > _ASCENDING * (len(letters) - 1)


def _fragments(words: Sequence[str], counts: Mapping[str, int]) -> int:
    pairs = Counter((first, second) for first, second in pairwise(words) if first + second in counts)
    return sum(
        2 * min(times, _MOST_OF_ONE)
        for (first, second), times in pairs.items()
        if first and second and counts[first + second] >= times and times >= min(counts[first], counts[second])
    )
