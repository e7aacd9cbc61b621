"""From ranked chunks to passages: neighbours joined, one document not flooding the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docshelf.index.records import StoredChunk
from docshelf.mcp_server.shelf import Passage
from docshelf.search.retrieval import RankedChunk

LONGEST_PASSAGE_CHUNKS = 3
"""Neighbouring hits are joined up to this many, so that one passage does not eat the answer."""


@dataclass(slots=True)
class _Run:
    """Neighbouring chunks of one document, in order, and the best score among them."""

    chunks: list[StoredChunk]
    score: float

    def takes(self, chunk: StoredChunk) -> bool:
        """Whether `chunk` stands right before or behind, under the same heading on the same page."""
        first, last = self.chunks[0], self.chunks[-1]
        return (
            len(self.chunks) < LONGEST_PASSAGE_CHUNKS
            and chunk.source == first.source
            and chunk.version == first.version
            and (chunk.page, chunk.headings) == (first.page, first.headings)
            and chunk.ordinal in (first.ordinal - 1, last.ordinal + 1)
        )

    def add(self, one: RankedChunk) -> None:
        self.chunks.append(one.chunk)
        self.chunks.sort(key=lambda chunk: chunk.ordinal)
        self.score = max(self.score, one.score)


def passages(ranked: Sequence[RankedChunk], limit: int) -> tuple[Passage, ...]:
    """At most `limit` passages, best first.

    A chunk that stands beside an earlier one is joined to it. One document gives at most half of the passages (but
    two always) as long as other documents have something to say.
    """
    runs: list[_Run] = []
    of_source: dict[str, int] = {}
    waiting: list[RankedChunk] = []
    most = max(2, (limit + 1) // 2)
    for one in ranked:
        if not _joined(runs, one):
            if len(runs) >= limit:
                continue
            if of_source.get(one.chunk.source, 0) >= most:
                waiting.append(one)
                continue
            runs.append(_Run([one.chunk], one.score))
            of_source[one.chunk.source] = of_source.get(one.chunk.source, 0) + 1
    for one in waiting:
        if not _joined(runs, one) and len(runs) < limit:
            runs.append(_Run([one.chunk], one.score))
    return tuple(_passage(run) for run in sorted(runs, key=lambda run: -run.score))


def _joined(runs: list[_Run], one: RankedChunk) -> bool:
    for run in runs:
        if run.takes(one.chunk):
            run.add(one)
            return True
    return False


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
