"""From ranked chunks to passages: neighbours joined, one document not flooding the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from docshelf.index.records import StoredChunk
from docshelf.mcp_server.shelf import Passage
from docshelf.search.retrieval import RankedRow

LONGEST_PASSAGE_CHUNKS = 3
"""Neighbouring hits are joined up to this many, so that one passage does not eat the answer."""

JOINING_SHARE = 0.95
"""A neighbour joins a passage when its score is at least this share of the passage's: joining any hit makes answers a
third longer and finds nothing more. See docs/quality.md."""

_SPARE_ROWS = 3
"""Rows that are loaded beyond the passages wanted, as some will join others."""


@dataclass(slots=True)
class _Run:
    """Neighbouring chunks of one document, in order, and the best score among them."""

    chunks: list[StoredChunk]
    score: float

    def takes(self, chunk: StoredChunk, score: float) -> bool:
        """Whether `chunk` is nearly as good and stands right before or behind, under one heading on one page."""
        first, last = self.chunks[0], self.chunks[-1]
        return (
            len(self.chunks) < LONGEST_PASSAGE_CHUNKS
            and score >= JOINING_SHARE * self.score
            and chunk.source == first.source
            and chunk.version == first.version
            and (chunk.page, chunk.headings) == (first.page, first.headings)
            and chunk.ordinal in (first.ordinal - 1, last.ordinal + 1)
        )

    def add(self, chunk: StoredChunk, score: float) -> None:
        self.chunks.append(chunk)
        self.chunks.sort(key=lambda chunk: chunk.ordinal)
        self.score = max(self.score, score)


class _Picked:
    """Runs for at most `limit` passages, from chunks that come best first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._most_of_one = max(1, limit // 5)
        self._runs: list[_Run] = []
        self._of_source: Counter[str] = Counter()
        self._waiting: list[tuple[StoredChunk, float]] = []

    @property
    def is_full(self) -> bool:
        """Whether no further chunk can begin a passage."""
        return len(self._runs) >= self._limit

    def offer(self, chunk: StoredChunk, score: float) -> None:
        """Join the chunk to a run, begin one with it, or keep it waiting where its document has its share."""
        if self.join(chunk, score) or self.is_full:
            return
        if self._of_source[chunk.source] >= self._most_of_one:
            self._waiting.append((chunk, score))
            return
        self._runs.append(_Run([chunk], score))
        self._of_source[chunk.source] += 1

    def join(self, chunk: StoredChunk, score: float) -> bool:
        """Join the chunk to the run that it stands beside, if there is one."""
        for run in self._runs:
            if run.takes(chunk, score):
                run.add(chunk, score)
                return True
        return False

    def passages(self) -> tuple[Passage, ...]:
        """The passages, best first; the places that are left go to those that wait."""
        for chunk, score in self._waiting:
            if not self.join(chunk, score) and not self.is_full:
                self._runs.append(_Run([chunk], score))
        return tuple(_passage(run) for run in sorted(self._runs, key=lambda run: -run.score))


def passages(
    ranked: Sequence[RankedRow], load: Callable[[Sequence[int]], Mapping[int, StoredChunk]], limit: int
) -> tuple[Passage, ...]:
    """At most `limit` passages, best first, of rows whose chunks `load` gives.

    Only as many rows are loaded as the passages need, and those beside them that were found as well, which are read
    along with them. A chunk that stands beside an earlier one, and is nearly as good, is joined to it. One document
    gives at most a fifth of the passages (but one always) as long as other documents have something to say.
    """
    picked = _Picked(limit)
    scores = {one.row: one.score for one in ranked}
    loaded: dict[int, StoredChunk] = {}
    settled: set[int] = set()
    step = limit + _SPARE_ROWS
    for start in range(0, len(ranked), step):
        batch = [one.row for one in ranked[start : start + step] if one.row not in settled]
        settled.update(batch)
        found = dict.fromkeys(near for row in batch for near in _beside(row) if near in scores)
        beside = [row for row in found if row not in settled]
        loaded.update(load([row for row in (*batch, *beside) if row not in loaded]))
        for row in batch:
            picked.offer(loaded[row], scores[row])
        settled.update(row for row in beside if picked.join(loaded[row], scores[row]))
        if picked.is_full:
            break
    return picked.passages()


def _beside(row: int) -> Sequence[int]:
    """Rows that may hold the neighbours of a row's chunk: a document's chunks are stored one after another.

    The nearest first: what is two rows away can only be joined behind what lies between.
    """
    return (row - 1, row + 1, row - 2, row + 2)


def _passage(run: _Run) -> Passage:
    first, last = run.chunks[0], run.chunks[-1]
    lines = (first.first_line, last.last_line) if first.first_line and last.last_line else None
    return Passage(
        source=first.source,
        title=first.title or first.source,
        text=_shown(run.chunks),
        score=round(run.score, 4),
        page=first.page,
        page_label=first.page_label,
        lines=lines if first.line_kind == "source" else None,
        text_lines=lines if first.line_kind == "text" and first.page is None else None,
        headings=first.headings,
        indexed_at=first.indexed_at,
        modified_at=first.modified_at,
    )


def _shown(chunks: Sequence[StoredChunk]) -> str:
    """The joined text without blank lines around it; a cut code block has its fences, a cut table its header row."""
    text = "".join(chunk.text for chunk in chunks)
    opening, closing = chunks[0].opening, chunks[-1].closing
    text = text.rstrip() if opening else _without_blank_lines(text)
    return f"{opening}{text}\n{closing}".strip("\n") if opening or closing else text


def _without_blank_lines(text: str) -> str:
    lines = text.rstrip().split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    return "\n".join(lines[first:])
