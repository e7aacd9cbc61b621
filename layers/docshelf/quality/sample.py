"""A part of a long text that stands for all of it."""

from __future__ import annotations

MOST_CHARACTERS = 240_000
_WINDOWS = 48


def sampled(text: str) -> str:
    """`text` itself, or windows evenly spread over it, whole words only, of `MOST_CHARACTERS` together at most."""
    if len(text) <= MOST_CHARACTERS:
        return text
    size = MOST_CHARACTERS // _WINDOWS
    starts = [(len(text) - size) * place // (_WINDOWS - 1) for place in range(_WINDOWS)]
    return "\n".join(_whole_words(text[start : start + size]) for start in starts)


def _whole_words(window: str) -> str:
    """`window` without what may be parts of words at its ends; as it is where it has no white space."""
    parts = window.split(maxsplit=1)
    inner = parts[1].rsplit(maxsplit=1) if len(parts) == 2 else []
    return inner[0] if len(inner) == 2 else window
