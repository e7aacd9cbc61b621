"""A second commit lane started by mistake, and waiting until no lane and no queue has anything left to do."""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from tests.support.chaos_stage import Instance
from tests.support.event_source import Event, EventSource
from tests.support.handler_processes import HandlerEndedError, HandlerFailedError

if TYPE_CHECKING:
    from types_boto3_sqs import SQSClient

DRAIN_SECONDS = 90.0
_LOOK_SECONDS = 0.2
_COPIED_SHARE = 0.6


class NotDrainedError(Exception):
    """The queues did not become empty in time; the text says what is left."""


class SecondLane:
    """Works on copies of batches while the first lane works on the batches themselves."""

    def __init__(self, instance: Instance, rng: random.Random) -> None:
        self.errors: list[str] = []
        self._instance, self._rng = instance, rng
        self._batches: queue.Queue[Event | None] = queue.Queue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def offer(self, event: Event) -> None:
        """Take a copy of a batch, or leave it."""
        if self._rng.random() < _COPIED_SHARE:
            self._batches.put(event)

    def waiting(self) -> int:
        """Batches that are not done."""
        return self._batches.unfinished_tasks

    def close(self) -> None:
        """End the lane, after what it has begun."""
        self._batches.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (event := self._batches.get()) is not None:
            try:
                self._instance(event)
            except HandlerEndedError:
                pass  # the first lane has the same messages
            except HandlerFailedError as error:
                self.errors.append(str(error))
            self._batches.task_done()


def messages_in(sqs: SQSClient, queue_url: str) -> int:
    """Messages of a queue: waiting, being worked on, and delayed."""
    attributes = sqs.get_queue_attributes(QueueUrl=queue_url, AttributeNames=["All"])["Attributes"]
    return sum(int(value) for name, value in attributes.items() if name.startswith("ApproximateNumberOfMessages"))


def wait_until_idle(
    when: str, places: Mapping[str, Callable[[], int]], sources: Sequence[EventSource], seconds: float = DRAIN_SECONDS
) -> None:
    """Wait until every one of `places`, in the order in which work passes them, is empty twice in a row.

    Raises:
        NotDrainedError: that did not happen in time; the text says `when` and what is left.
    """
    end, empty = time.monotonic() + seconds, 0
    while empty < 2:
        left = {name: count for name, place in places.items() if (count := place())}
        empty = 0 if left else empty + 1
        if not all(source.alive() for source in sources):
            raise NotDrainedError(f"a thread that polls a queue ended {when}")
        if time.monotonic() > end:
            raise NotDrainedError(f"{seconds:.0f} s {when} there is still something left: {left}")
        time.sleep(_LOOK_SECONDS)
