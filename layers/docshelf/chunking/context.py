"""What the model sees around a chunk's text: title, heading path, header row, the end of the text before."""

from __future__ import annotations

from docshelf.chunking.measure import Measure
from docshelf.chunking.model import Tokenizer
from docshelf.chunking.pieces import Piece

_TITLE_TOKENS = 16
_HEADING_TOKENS = 24
_BEFORE_TOKENS = 24


class Context:
    """Builds `embedded_text`, keeping all of the context within `sizes.context` tokens."""

    def __init__(self, title: str, tokenizer: Tokenizer, measure: Measure) -> None:
        self._tokenizer = tokenizer
        self._measure = measure
        self._title = title
        self._lead: dict[tuple[str, ...], tuple[str, int]] = {}
        self._openings: dict[tuple[str, int], tuple[str, int]] = {}

    def embedded_text(self, headings: tuple[str, ...], first: Piece, start: int, end: int, section_start: int) -> str:
        """The context and the visible text of `[start, end)`, a line each where present."""
        lead, used = self._lead_of(headings)
        opening, opening_tokens = self._opening_of(first.opening, self._measure.sizes.context - used)
        left = self._measure.sizes.context - used - opening_tokens
        before = "" if opening else self._measure.tail(section_start, start, min(_BEFORE_TOKENS, left))
        parts = (lead, before, opening.rstrip("\n"), self._measure.said(start, end))
        return "\n".join(part for part in parts if part)

    def _lead_of(self, headings: tuple[str, ...]) -> tuple[str, int]:
        """Title and heading path, and their tokens; a heading that repeats the title is left out."""
        if headings not in self._lead:
            title, title_tokens = self._shortened(self._title, _TITLE_TOKENS)
            path = " > ".join(headings[1:] if headings and headings[0] == self._title else headings)
            path, path_tokens = self._shortened(path, _HEADING_TOKENS, keep_end=True)
            self._lead[headings] = (
                "\n".join(part for part in (title, path) if part),
                title_tokens + path_tokens,
            )
        return self._lead[headings]

    def _opening_of(self, opening: str, budget: int) -> tuple[str, int]:
        if (opening, budget) not in self._openings:
            self._openings[opening, budget] = self._shortened(opening, budget)
        return self._openings[opening, budget]

    def _shortened(self, text: str, tokens: int, *, keep_end: bool = False) -> tuple[str, int]:
        """`text` cut to at most `tokens` tokens, and how many it has."""
        starts, ends = self._tokenizer.offsets(text[:4_000])
        if len(starts) <= tokens:
            return text[:4_000], len(starts)
        return (text[int(starts[-tokens]) :] if keep_end else text[: int(ends[tokens - 1])]), tokens
