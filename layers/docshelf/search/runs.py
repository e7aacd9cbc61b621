"""Neighbouring chunks of one document that make a passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from docshelf.index.records import StoredChunk
from docshelf.search.near_duplicates import fingerprint

LONGEST_PASSAGE_CHUNKS = 3
"""Neighbouring hits are joined up to this many, so that one passage does not eat the answer."""

JOINING_SHARE = 0.95
"""A neighbour joins a passage when its score is at least this share of the passage's: joining any hit makes answers a
third longer and finds nothing more. See docs/quality.md."""


@dataclass(slots=True)
class Run:
    """Neighbouring chunks of one document, in order, and the best score among them.

    `says` are the fingerprints of the chunks, `says_together` is that of the whole.
    """

    chunks: list[StoredChunk] = field(default_factory=list)
    score: float = 0.0
    says: set[tuple[str, ...]] = field(default_factory=set)
    says_together: tuple[str, ...] = ()

    @classmethod
    def of(cls, chunk: StoredChunk, score: float) -> Run:
        """A run of one chunk."""
        run = cls()
        run.add(chunk, score)
        return run

    @property
    def source(self) -> str:
        """The document."""
        return self.chunks[0].source

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
        """Put the chunk at its place."""
        self.chunks.append(chunk)
        self.chunks.sort(key=lambda chunk: chunk.ordinal)
        self.score = max(self.score, score)
        heading = chunk.headings[-1] if chunk.headings else ""
        alone = fingerprint(shown([chunk]), heading)
        self.says.add(alone)
        self.says_together = alone if len(self.chunks) == 1 else fingerprint(shown(self.chunks), heading)


def join(runs: Sequence[Run], chunk: StoredChunk, score: float) -> Run | None:
    """The run that the chunk now belongs to, as it stands beside it; None where there is none."""
    for run in runs:
        if run.takes(chunk, score):
            run.add(chunk, score)
            return run
    return None


def shown(chunks: Sequence[StoredChunk]) -> str:
    """The joined text without blank lines around it; a cut code block has its fences, a cut table its header row."""
    text = "".join(chunk.text for chunk in chunks)
    opening, closing = chunks[0].opening, chunks[-1].closing
    text = text.rstrip() if opening else _without_blank_lines(text)
    return f"{opening}{text}\n{closing}".strip("\n") if opening or closing else text


def _without_blank_lines(text: str) -> str:
    lines = text.rstrip().split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    return "\n".join(lines[first:])
