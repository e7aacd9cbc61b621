"""Find the lines that PDF pages repeat at their top and bottom: running heads, page numbers, notices."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_DEEPEST = 3
_LONGEST = 150
_FEWEST_PAGES = 3
_SMALLEST_SHARE = 0.1
_FEWEST_LETTERS = 3
_NUMBER = re.compile(r"\d+")


def margins(pages: Sequence[str]) -> list[tuple[int, int]]:
    """For the text of each page: where what follows its top margin starts, and where its bottom margin starts.

    A line belongs to a margin when it stands, figures aside, at the same edge of three pages and of a tenth of all. A
    page that shows nothing else has no margins.
    """
    tops = [_edge(text.split("\n")) for text in pages]
    bottoms = [_edge(text.split("\n")[::-1]) for text in pages]
    repeated = [_repeated(edges, len(pages)) for edges in (tops, bottoms)]
    return [
        _span(text, _depth(top, repeated[0]), _depth(bottom, repeated[1]))
        for text, top, bottom in zip(pages, tops, bottoms, strict=True)
    ]


def _edge(lines: Sequence[str]) -> list[str]:
    """The first lines with their numbers and spaces made alike; empty for one that is no candidate."""
    return [_key(line) for line in lines[:_DEEPEST]]


def _key(line: str) -> str:
    key = " ".join(_NUMBER.sub("0", line).casefold().split())
    worded = sum(map(str.isalpha, key)) >= _FEWEST_LETTERS
    return key if len(line) <= _LONGEST and (worded or key.strip("-–—| ") == "0") else ""


def _repeated(edges: Sequence[Sequence[str]], pages: int) -> set[str]:
    counts = Counter(key for edge in edges for key in set(edge) if key)
    return {key for key, count in counts.items() if count >= max(_FEWEST_PAGES, _SMALLEST_SHARE * pages)}


def _depth(edge: Sequence[str], repeated: set[str]) -> int:
    """How many lines from the edge on are repeated ones."""
    return next((number for number, key in enumerate(edge) if key not in repeated), len(edge))


def _span(text: str, top: int, bottom: int) -> tuple[int, int]:
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[:top])
    end = len(text) - sum(len(line) + 1 for line in lines[len(lines) - bottom :]) + 1 if bottom else len(text)
    return (start, end) if text[start:end].strip() else (0, len(text))
