"""The text that full-text search indexes, and queries made comparable with it.

The tokenizer of the index splits at punctuation (`a.b`, `a_b`, `/a/b`) and folds case and Latin accents. What it
does not do is done here, the same way for documents and queries: compatibility forms and composed accents are folded,
invisible characters removed, and words that hold words (`maxRetryCount`, `sha256`, Korean words with their particles)
followed by their parts, and words of languages that the index does not stem by their beginnings. Both go to the end,
so that phrases of the text itself stay intact.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from docshelf.languages import ENGLISH, language_of

MAX_QUERY_CHARACTERS = 2_000
MAX_QUERY_WORDS = 128
MAX_REPEATS = 3
"""A repeated word counts each time in the ranking; a query of one word a thousand times must not."""
MAX_PARTS = 400
"""Most added parts of one text: minified code and encoded data are made of things that look like identifiers."""

MAX_SPLIT_LENGTH = 64
"""Longer words are not split: they are encoded data."""

_REPLACED = str.maketrans(
    {
        "\0": " ",
        "\u00ad": None,  # soft hyphen and the zero-width characters stand inside words
        "\u200b": None,
        "\u200c": None,
        "\u200d": None,
        "\u2060": None,
        "\ufeff": None,
        "\u2018": "'",
        "\u2019": "'",
        "ß": "ss",  # the tokenizer folds it only after stemming, too late to meet "strasse"
        "ẞ": "SS",
        "İ": "I",
    }
)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_WORD = re.compile(r"[A-Za-z0-9]+")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_CAMEL_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z]{2})\d*|[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+")
_NUMBERED = re.compile(r"([A-Za-z]{2,})(\d{1,5})")
STEM_LETTERS = 5
"""What is left of a word when it is cut down to a beginning that its inflected forms share. See docs/quality.md."""

# Letters of scripts in which words are inflected at their ends.
_LATIN, _CYRILLIC_AND_GREEK = "A-Za-z\u00c0-\u024f\u1e00-\u1eff", "\u0370-\u03ff\u0400-\u052f"
_INFLECTED = re.compile(f"[{_LATIN}{_CYRILLIC_AND_GREEK}]{{{STEM_LETTERS + 1},}}")
_HANGUL = re.compile(r"[\uac00-\ud7a3]{3,}")
_LETTER_LANGUAGE = re.compile(r"(?<![A-Za-z0-9])([A-Za-z])(\+\+|#)(?![+#\w])")
_LETTER_LANGUAGE_WORDS = {"++": "plusplus", "#": "sharp"}


def fold(text: str) -> str:
    """`text` in the one spelling that is indexed; words and their order stay, positions may move."""
    text = text.translate(_REPLACED)
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _SURROGATE.sub("\ufffd", text)).translate(_REPLACED)


def parts_of(folded: str, most: int = MAX_PARTS) -> list[str]:
    """The words inside words of `folded` that the tokenizer does not see, each once, in order, at most `most`."""
    parts: dict[str, None] = {}
    for part in _parts(folded):
        parts.setdefault(part)
        if len(parts) == most:
            break
    return list(parts)


def stems_of(folded: str, language: str | None, most: int = MAX_PARTS) -> list[str]:
    """The beginnings of the longer words of `folded`, each once, in order, at most `most`.

    Of a text in English, which the index stems itself, or in no language, only those of words that no English text has.
    """
    stems: dict[str, None] = {}
    english = language in (ENGLISH, None)
    if english and folded.isascii():
        return []
    for match in _INFLECTED.finditer(folded):
        word = match.group()
        if len(word) > MAX_SPLIT_LENGTH or (english and word.isascii()):
            continue
        stems.setdefault(word[:STEM_LETTERS].lower())
        if len(stems) == most:
            break
    return list(stems)


def search_text(title: str | None, headings: Sequence[str], source: str, text: str) -> str:
    """What full-text search indexes of a chunk: title, headings, key and text, folded, then added parts and stems."""
    folded = fold("\n".join([title or "", " / ".join(headings), source, text]))
    added = [*parts_of(folded), *stems_of(folded, language_of(text))]
    return f"{folded}\n{' '.join(added)}" if added else folded


def normalise_query(query: str) -> str:
    """`query` spelled as the index spells, within the bounds on characters, words and repeats; may be empty."""
    words: list[str] = []
    seen: Counter[str] = Counter()
    for word in fold(query[:MAX_QUERY_CHARACTERS]).split():
        seen[word.lower()] += 1
        if seen[word.lower()] <= MAX_REPEATS:
            words.append(word)
        if len(words) == MAX_QUERY_WORDS:
            break
    return " ".join(words)


def _parts(folded: str) -> Iterator[str]:
    for match in _WORD.finditer(folded):
        yield from _identifier_parts(match.group())
    for match in _LETTER_LANGUAGE.finditer(folded):
        yield match.group(1) + _LETTER_LANGUAGE_WORDS[match.group(2)]
    if not folded.isascii():
        for match in _HANGUL.finditer(folded):
            word = match.group()
            # Particles are written onto the word; pairs of syllables find it with and without them.
            yield from (word[start : start + 2] for start in range(len(word) - 1))


def _identifier_parts(word: str) -> Iterator[str]:
    if len(word) > MAX_SPLIT_LENGTH or len(word) < 3:
        return
    if _CAMEL.search(word):
        yield from (part for part in _CAMEL_PART.findall(word) if len(part) > 1)
    elif numbered := _NUMBERED.fullmatch(word):
        yield from numbered.groups()
