"""Tokens of a text as the model counts them, with their places in the text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from docshelf.errors import ModelUnavailableError
from docshelf.languages import ENGLISH, language_of

# One piece of a large text. Memory while it is encoded is about 100 bytes a character.
PIECE_CHARACTERS = 100_000
# How far back from the end of a piece a good place to cut is looked for.
_LOOK_BACK_CHARACTERS = 2_000
# What lies beyond cannot reach the model, and splitting it into tokens would only cost time.
_CHARACTERS_PER_TOKEN = 100
# A language is plain from the first words of a query; the rest of a pasted log is not worth reading.
_QUERY_CHARACTERS = 4_000

_LETTERS = re.compile(r"[^\W\d_]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Function words of the neighbouring languages that an English vocabulary holds as whole words, because names are full
# of them. They are signs of another language, and by far the most frequent words in it.
# fmt: off
_FOREIGN = frozenset((
    "au", "che", "da", "das", "dei", "del", "dem", "den", "der", "des", "di", "die", "du", "ein", "eine",
    "einer", "el", "en", "est", "et", "het", "il", "im", "ist", "la", "le", "les", "los", "mit", "nicht", "que",
    "un", "una", "und", "une", "van", "von", "wie", "zu", "zum", "zur",
))
# fmt: on


def _load(path: Path) -> Tokenizer:
    """The tokenizer of `tokenizer.json` at `path`, without its own padding and truncation.

    Raises:
        ModelUnavailableError: the file cannot be read or is no tokenizer.
    """
    wrong = f"{path} is not a tokenizer that docshelf can read: replace it by the tokenizer.json of the model."
    try:
        path.open("rb").close()  # the library does not tell a file that cannot be read from one that is wrong
    except OSError as error:
        raise ModelUnavailableError(f"{path} cannot be read ({error.strerror or error}): check the model.") from error
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower than Exception itself
        raise ModelUnavailableError(wrong) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


class TextTokenizer:
    """Counts and places tokens; made once and shared by threads."""

    def __init__(self, path: Path, languages: Sequence[str] = ("en",)) -> None:
        """Load `tokenizer.json` at `path`; `languages` are the model's. Raises ModelUnavailableError."""
        self._tokenizer = _load(path)
        self._english_only = tuple(languages) == ("en",)

    def offsets(self, text: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Where each token lies: `text[starts[i]:ends[i]]`, in characters, without special tokens.

        Two arrays of one length, ascending. Characters that belong to no token (white space, control characters) lie
        between them. One character can give several tokens, which then share its place.
        """
        starts: list[npt.NDArray[np.int64]] = [np.empty(0, np.int64)]
        ends: list[npt.NDArray[np.int64]] = [np.empty(0, np.int64)]
        for begin, end in _pieces(text):
            places = self._tokenizer.encode(text[begin:end], add_special_tokens=False).offsets
            table = np.array(places, dtype=np.int64).reshape(-1, 2) + begin
            starts.append(table[:, 0])
            ends.append(table[:, 1])
        return np.concatenate(starts), np.concatenate(ends)

    def count(self, text: str) -> int:
        """How many tokens `text` has, without special tokens."""
        return sum(
            len(self._tokenizer.encode(text[begin:end], add_special_tokens=False)) for begin, end in _pieces(text)
        )

    def model_input(self, text: str, most: int) -> list[int]:
        """The ids of `text` with the model's special tokens, at most `most` of them: what is too much is cut off."""
        encoding = self._tokenizer.encode(text[: most * _CHARACTERS_PER_TOKEN], add_special_tokens=False)
        encoding.truncate(most - self._tokenizer.num_special_tokens_to_add(is_pair=False))
        ids: list[int] = self._tokenizer.post_process(encoding).ids
        return ids

    def knows_language_of(self, text: str) -> bool:
        """Whether the model was trained for the language of a document; text in no language (code) counts as known."""
        return not self._english_only or language_of(text) in (ENGLISH, None)

    def known_word_share(self, text: str) -> float:
        """How much of a query is in words that the model knows, from 0 to 1; 0 where it has no words.

        For an English model these are words of the Latin alphabet that the vocabulary holds whole, without the function
        words of other languages. camelCase counts as its parts. English queries lie above 0.6, German ones below. A
        model for many languages knows every word.
        """
        words = [
            word
            for run in _LETTERS.findall(text[:_QUERY_CHARACTERS])
            for word in _HUMP.split(run)
            if len(word) > 1 or not word.isascii()
        ]
        if not words:
            return 0.0
        if not self._english_only:
            return 1.0
        return sum(map(self._is_known, words)) / len(words)

    def _is_known(self, word: str) -> bool:
        if not word.isascii() or (word.lower() in _FOREIGN and not word.isupper()):
            return False
        forms = (word, word.lower())
        return any(self._tokenizer.token_to_id(mark + form) is not None for form in forms for mark in ("", "▁", "Ġ"))


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Bounds of pieces that tile `text`, cut where no token can span the cut if there is such a place."""
    begin = 0
    while len(text) - begin > PIECE_CHARACTERS:
        end = _cut(text, begin + PIECE_CHARACTERS)
        yield begin, end
        begin = end
    if begin < len(text):
        yield begin, len(text)


def _cut(text: str, end: int) -> int:
    """The last place at or before `end` that follows white space; else one between two signs, never before a mark."""
    for place in range(end, end - _LOOK_BACK_CHARACTERS, -1):
        if text[place - 1].isspace():
            return place
    for place in range(end, end - _LOOK_BACK_CHARACTERS, -1):
        if not (text[place - 1].isascii() and text[place - 1].isalnum()) and not unicodedata.combining(text[place]):
            return place
    return end
