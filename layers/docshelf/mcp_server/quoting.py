"""Marks around document text that the text itself cannot forge."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

_LETTERS = "bcdfghjkmnpqrstvwxz"
_LENGTH = 4


def choose_mark(texts: Iterable[str]) -> str:
    """A tag name that occurs in none of `texts`, in any case; the same texts give the same name.

    Whatever stands between an opening and a closing tag of this name is therefore quoted, even when it imitates a
    citation line or another tag.
    """
    folded = [text.casefold() for text in texts]
    digest = hashlib.sha256("\0".join(folded).encode("utf-8", "replace"))
    length = _LENGTH
    while True:
        number = int.from_bytes(digest.digest(), "big")
        letters = []
        for _ in range(length):
            number, index = divmod(number, len(_LETTERS))
            letters.append(_LETTERS[index])
        mark = "quote-" + "".join(letters)
        if not any(mark in text for text in folded):
            return mark
        digest.update(b"next")
        # 256 bits hold 60 letters.
        length = min(length + 1, 60)


def quote(text: str, mark: str) -> str:
    """`text` between an opening and a closing line of `mark`."""
    end = "" if text.endswith("\n") else "\n"
    return f"<{mark}>\n{text}{end}</{mark}>"
