"""The sweep: the whole bucket against the index, and a message to ingest for every key that differs."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice

from docshelf.aws.queues import Queue
from docshelf.errors import IndexMissingError
from docshelf.index.live import LiveIndex
from docshelf.index.records import SourceVersion
from docshelf.messages import LookAt, Sweep, to_body
from docshelf.observability import Metric, emit, logger
from docshelf.reconcile import Difference, compared
from docshelf.remaining_time import RemainingSeconds
from docshelf.settings import Limits
from docshelf.sources.bucket import BucketSource

KEYS_A_STEP = 1_000
LONG_BACKLOG = 10_000
"""Waiting messages from which on ingest is busy with what a sweep would queue a second time."""


class Sweeper:
    """Compares bucket and index in order of keys, so that a million keys need little memory and can be resumed."""

    def __init__(
        self,
        source: BucketSource,
        live: LiveIndex,
        ingest_queue: Queue,
        limits: Limits,
        keys_a_step: int = KEYS_A_STEP,
        long_backlog: int = LONG_BACKLOG,
    ) -> None:
        """`keys_a_step` keys are compared and queued between two looks at the clock."""
        self._keys_a_step = keys_a_step
        self._long_backlog = long_backlog
        self._source = source
        self._live = live
        self._ingest_queue = ingest_queue
        self._limits = limits

    def sweep(self, sweep: Sweep, remaining: RemainingSeconds, reserve_seconds: float) -> Sweep | None:
        """Queue the keys that differ; None at the end, else the message that goes on where the time was up.

        Raises:
            StoreUnavailableError, IndexUnavailableError, SourceError: the sweep must begin again at `sweep.after`.
        """
        part = replace(sweep, run=sweep.run or uuid.uuid4().hex)
        if not sweep.after and self._is_busy():
            return None
        entries, stored = self._source.list(after=sweep.after), self._stored(sweep.after)
        pairs = compared(entries, stored, self._limits, every_failure=sweep.retry)
        while step := list(islice(pairs, self._keys_a_step)):
            found = [difference for _, difference, _ in step if difference is not None]
            self._ingest_queue.send_all(to_body(LookAt(difference.key)) for difference in found)
            part = replace(part, after=step[-1][0], queued=part.queued + len(found), oldest=_oldest(part, found))
            if remaining() <= reserve_seconds:
                return part
        _report(part)
        return None

    def _stored(self, after: str) -> Iterator[SourceVersion]:
        try:
            return self._live.current().ordered_versions(after)
        except IndexMissingError:
            return iter(())

    def _is_busy(self) -> bool:
        waiting, _ = self._ingest_queue.waiting()
        if waiting < self._long_backlog:
            return False
        logger.warning("The sweep waits for the next time: ingest has a long backlog.", waiting=waiting)
        emit({Metric.POSTPONED: 1})
        return True


def _oldest(part: Sweep, found: list[Difference]) -> str:
    """The time of the oldest change that the index lacks, as ISO 8601; empty for none."""
    times = [one.entry.modified_at.isoformat() for one in found if one.entry and one.entry.modified_at]
    return min(filter(None, [part.oldest, *times]), default="")


def _report(part: Sweep) -> None:
    age = (datetime.now(UTC) - datetime.fromisoformat(part.oldest)).total_seconds() if part.oldest else 0.0
    logger.info("The sweep has compared the whole bucket.", run=part.run, queued=part.queued)
    emit({Metric.DIFFERENCES: part.queued, Metric.OLDEST_CHANGE: max(0.0, age)})
