"""Following a rebuild until its generation can take the place of the one in use."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar

from docshelf.aws.queues import Queue
from docshelf.cloud.places import remedy
from docshelf.cloud.progress import Step
from docshelf.cloud.readiness import Readiness, readiness
from docshelf.cloud.rebuild import Rebuild, queue_differences, switch
from docshelf.errors import DocshelfError, IndexCorruptError, IndexMismatchError
from docshelf.index.store import Index
from docshelf.local.report import counted, shown_key
from docshelf.settings import Limits
from docshelf.sources.bucket import BucketSource


class StalledError(DocshelfError):
    """A rebuild does not move; the sentence says what is missing and where to look."""

    code: ClassVar[str] = "stalled"
    status = 503
    retryable: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a rebuild works with; `dead_letters` is None where nobody named that queue."""

    source: BucketSource
    queue: Queue
    dead_letters: Queue | None
    limits: Limits


@dataclass(frozen=True, slots=True)
class Waiting:
    """How often is looked, and how long nothing may move, in seconds; `clock` and `pause` are time's."""

    interval: float = 15.0
    patience: float = 1_200.0
    clock: Callable[[], float] = time.monotonic
    pause: Callable[[float], None] = time.sleep


class Follower:
    """One run over one rebuild."""

    def __init__(self, rebuild: Rebuild, around: Surroundings, waiting: Waiting) -> None:
        self._rebuild = rebuild
        self._around = around
        self._waiting = waiting
        self._since = datetime.now(UTC)
        self._current = _readable_current(rebuild)
        self._step = Step()
        self._queued_again = False

    def step(self) -> Step:
        """How far it was at the last look, for a person."""
        return self._step

    def queue(self) -> int | None:
        """Queue what differs and return how many keys; None where an earlier run did and they are on their way.

        Raises:
            DocshelfError: the bucket, the index or the queue cannot be used.
        """
        if self._rebuild.resumed:
            differ = self._look().totals.waiting.total()
            if 0 < differ <= self._on_their_way():
                return None
        return self._queue()

    def finish(self) -> Readiness:
        """Wait until nothing stands in the way, then switch; return the last look.

        What was lost on its way is queued once more when half of the patience has passed. Faults that may pass are
        waited for as long as patience lasts.

        Raises:
            StalledError: nothing has moved for as long as patience lasts.
            PreconditionFailedError: somebody else has given the rebuild up, or switched.
            DocshelfError: the bucket, an index or the queue cannot be used.
        """
        waiting = self._waiting
        moved_at, last = waiting.clock(), -1
        while True:
            began = waiting.clock()
            found = self._looked(again=began - moved_at >= waiting.patience / 2)
            if isinstance(found, Readiness) and not found.missing:
                break
            if isinstance(found, Readiness) and found.totals.agreeing != last:
                moved_at, last, self._queued_again = began, found.totals.agreeing, False
            if began - moved_at >= waiting.patience:
                raise self._stalled(found) if isinstance(found, Readiness) else found
            # A look at a large bucket takes a while: at most half of the time is spent on looking.
            waiting.pause(max(waiting.interval, waiting.clock() - began))
        if self._rebuild.beside:
            switch(self._rebuild)
        return found

    def _looked(self, *, again: bool) -> Readiness | DocshelfError:
        """A look, or the fault that kept from it and may pass; `again` queues what was lost on its way, once."""
        try:
            found = self._look()
            if again and found.missing and not self._queued_again and not self._on_their_way():
                self._queued_again = True
                self._queue()
        except DocshelfError as error:
            if not error.retryable:
                raise
            return error
        return found

    def _look(self) -> Readiness:
        around = self._around
        found = readiness(around.source, self._rebuild.index, self._current, self._since, around.limits)
        text = f"{counted(self._on_their_way(), 'message')} in the ingest queue"
        self._step = Step(found.totals.agreeing, found.totals.keys, text)
        return found

    def _queue(self) -> int:
        return queue_differences(self._rebuild, self._around.source, self._around.queue, self._around.limits)

    def _on_their_way(self) -> int:
        return sum(self._around.queue.waiting())

    def _stalled(self, found: Readiness) -> StalledError:
        dead = self._around.dead_letters
        letters = f"{counted(sum(dead.waiting()), 'message')} in {dead.name}" if dead else "the dead letter queue"
        return StalledError(
            f"The rebuild has not moved for {counted(round(self._waiting.patience / 60), 'minute')}: "
            f"{counted(found.missing, 'document')} of {found.totals.keys:,} differ, the first of them "
            f"{shown_key(found.first or '')}, with {counted(self._on_their_way(), 'message')} in "
            f"{self._around.queue.name}; look at {letters} and at the logs of the ingest and commit functions, which "
            f"must have the model {self._rebuild.index.identity.model}, then run this again to go on, or "
            "give it up with --abandon."
        )


def _readable_current(rebuild: Rebuild) -> Index | None:
    if not rebuild.beside:
        return None
    try:
        return Index.open(rebuild.address, rebuild.pointer.generation, remedy=remedy(rebuild.address))
    except (IndexCorruptError, IndexMismatchError):
        return None
