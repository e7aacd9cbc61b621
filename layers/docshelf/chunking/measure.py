"""Counting tokens, characters and lines of a text by offset, without cutting it."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from docshelf.chunking.model import ChunkSizes, Tokenizer

_NEWLINE = re.compile("\n")


class Measure:
    """One pass of the tokenizer over the whole text; every later question is a binary search."""

    def __init__(
        self, text: str, tokenizer: Tokenizer, sizes: ChunkSizes, margins: Sequence[tuple[int, int]] = ()
    ) -> None:
        """`margins` are the parts of `text`, start and end in ascending order, that are not to be embedded."""
        self.text = text
        self._margins = margins
        self.sizes = sizes
        starts, _ = tokenizer.offsets(text)
        self.token_starts = array("q", np.ascontiguousarray(starts, np.int64).tobytes())
        self._newlines = [match.start() for match in _NEWLINE.finditer(text)]

    def tokens(self, start: int, end: int) -> int:
        """Tokens that start inside `[start, end)`."""
        return bisect_left(self.token_starts, end) - bisect_left(self.token_starts, start)

    def fits(self, start: int, end: int) -> bool:
        """Whether `[start, end)` may be one chunk."""
        return end - start <= self.sizes.characters and self.tokens(start, end) <= self.sizes.text

    def line(self, offset: int) -> int:
        """The line, counted from 1, that holds the character at `offset`."""
        return bisect_left(self._newlines, offset) + 1

    def blank(self, start: int, end: int) -> bool:
        """Whether `[start, end)` shows nothing."""
        return not self.text[start:end].strip()

    def visible(self, start: int, end: int) -> tuple[int, int]:
        """`[start, end)` without white space at both ends; unchanged when all of it is white space."""
        text = self.text[start:end]
        stripped = text.strip()
        if not stripped:
            return start, end
        first = start + len(text) - len(text.lstrip())
        return first, first + len(stripped)

    def said(self, start: int, end: int) -> str:
        """The visible text of `[start, end)` without the margins of pages, as far as anything is left then."""
        parts, position = [], start
        first = bisect_left(self._margins, (start, start))
        for index in range(max(0, first - 1), len(self._margins)):
            left, right = self._margins[index]
            if left >= end:
                break
            parts.append(self.text[position : max(position, left)])
            position = max(position, min(right, end))
        parts.append(self.text[position:end])
        return "".join(parts).strip() or self.text[start:end].strip() or self.text[start:end]

    def tail(self, start: int, end: int, tokens: int) -> str:
        """The last words of `[start, end)`, at most `tokens` tokens, beginning at a word."""
        if tokens <= 0 or start >= end:
            return ""
        last = bisect_left(self.token_starts, end)
        cut = max(start, self.token_starts[last - tokens]) if last >= tokens else start
        words = self.text[max(cut, end - self.sizes.characters) : end]
        if cut > start and not self.text[cut - 1].isspace():
            _, _, words = words.partition(" ")
        return words.strip()
