"""Words that say nothing in a question, left out of full-text queries.

They stay in the index: left out there, `I/O`, `end-to-end` or `--no` could never be found. nDCG@10 of full text alone:

| | claude-docs | claude-code-chunks | xquad/en |
|---|---|---|---|
| LanceDB's list, when indexing | 0.800 | 0.719 | 0.980 |
| no list | 0.776 | 0.603 | 0.982 |
| this list, in queries | 0.804 | 0.734 | 0.988 |
"""

from __future__ import annotations

from docshelf.languages import ENGLISH, FUNCTION_WORDS

_PUNCTUATION = ".,;:!?()\"'¿¡«»„“”"


def without_stop_words(query: str, language: str | None = ENGLISH) -> str:
    """`query` without the stop words of `language`, but whole when it holds nothing else.

    Where the language is not known, or has no list, the list is English: names and commands are mostly asked for in
    it. A word in capitals within other text (`NOT`, `WHERE`) is a name and stays, as does whatever holds more than the
    word (`I/O`, `--no`).
    """
    stop_words = FUNCTION_WORDS.get(language or ENGLISH, FUNCTION_WORDS[ENGLISH])
    words = query.split()
    shouted = query.isupper()
    kept = [word for word in words if not _is_stop_word(word, stop_words, shouted=shouted)]
    return " ".join(kept or words)


def _is_stop_word(word: str, stop_words: frozenset[str], *, shouted: bool) -> bool:
    if word.isupper() and len(word) > 1 and not shouted:
        return False
    return word.strip(_PUNCTUATION).lower() in stop_words
