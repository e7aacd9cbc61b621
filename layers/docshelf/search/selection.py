"""Which runs of chunks an answer shows: what says the same once, one document not flooding it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from docshelf.search.runs import Run, join
from docshelf.sources import MEMBER_MARK

SCORE_DIGITS = 4
"""Scores are told to so many digits; those that are told alike count as equal."""


@dataclass(slots=True)
class Kept:
    """A run that is shown, and the other sources that say the same, in the order in which they were found."""

    run: Run
    _others: dict[str, None] = field(default_factory=dict)

    @property
    def also_in(self) -> tuple[str, ...]:
        """The other sources, each once."""
        return tuple(source for source in self._others if source != self.run.source)

    def note(self, run: Run) -> None:
        """Take up another run that says the same, and show that one where nothing but its place makes it better."""
        if self.run.says == run.says and _told(self.run) == _told(run) and _place(run) < _place(self.run):
            self.run, run = run, self.run
        self._others[run.source] = None


class Selection:
    """At most `limit` of the runs, which are offered best first."""

    def __init__(self, limit: int, runs: Iterable[Run]) -> None:
        self._limit = limit
        self._most_of_one = max(1, limit // 5)
        self._kept: list[Kept] = []
        self._said: dict[tuple[str, ...], Kept] = {}
        self._of_source: Counter[str] = Counter()
        self._waiting: list[Run] = []
        for run in runs:
            self._offer(run)

    @property
    def is_full(self) -> bool:
        """Whether no further run has a place."""
        return len(self._kept) >= self._limit

    def complete(self) -> list[Kept]:
        """The runs that are shown, best first; the places that are left go to those that wait."""
        for run in self._waiting:
            if not self._note(run):
                self._add_waiting(run)
        self._waiting.clear()
        return sorted(self._kept, key=lambda kept: -kept.run.score)

    def _offer(self, run: Run) -> None:
        """Keep the run, note where it says nothing new, or let it wait where its document has its share."""
        if self._note(run):
            return
        if self._of_source[run.source] >= self._most_of_one:
            self._waiting.append(run)
        elif not self.is_full:
            self._of_source[run.source] += 1
            self._keep(run)

    def _note(self, run: Run) -> bool:
        """Note the run with those that say all of it already; whether there are any.

        It counts as a passage of its document as if it were shown: copies of a document have one share.
        """
        said = [self._said.get(fingerprint) for fingerprint in run.says]
        if None in said:
            said = [self._said.get(run.says_together)]
        holders = [kept for kept in self._kept if any(kept is holder for holder in said)]
        elsewhere = any(kept.run.source != run.source for kept in holders)
        for kept in holders:
            kept.note(run)
        self._of_source[run.source] += elsewhere
        return bool(holders)

    def _keep(self, run: Run) -> None:
        kept = Kept(run)
        self._kept.append(kept)
        self._remember(kept)

    def _remember(self, kept: Kept) -> None:
        for fingerprint in (*kept.run.says, kept.run.says_together):
            self._said.setdefault(fingerprint, kept)

    def _add_waiting(self, run: Run) -> None:
        """Join the chunks to runs that they stand beside, or give them a place of their own."""
        for chunk in list(run.chunks):
            joined = join([kept.run for kept in self._kept], chunk, run.score)
            if joined is not None:
                self._remember(next(kept for kept in self._kept if kept.run is joined))
            elif not self.is_full:
                self._keep(Run.of(chunk, run.score))


def _told(run: Run) -> float:
    return round(run.score, SCORE_DIGITS)


def _place(run: Run) -> tuple[bool, float, int, str, int]:
    """Of runs that say the same, the smallest is shown: a loose file, the newest, the one with the shortest key."""
    first = run.chunks[0]
    modified = first.modified_at.timestamp() if first.modified_at else float("-inf")
    return MEMBER_MARK in first.source, -modified, len(first.source), first.source, first.ordinal
