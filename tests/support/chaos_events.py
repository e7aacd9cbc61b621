"""Events of a bucket as they reach the ingest queue: twice, late, in another order, or never."""

from __future__ import annotations

import heapq
import itertools
import json
import random
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import quote_plus

if TYPE_CHECKING:
    from tests.support.cloud import Cloud

_DROPPED = 0.02
_DUPLICATED = 0.2
_DELAYED = 0.4
_MEAN_DELAY_SECONDS = 0.7
_LARGEST_BATCH = 10


def event_bodies(bucket: str, key: str, *, removed: bool) -> tuple[str, str]:
    """The message about a key, as it comes through EventBridge (plain key) and straight from S3 (encoded key)."""
    through_eventbridge = {
        "version": "0",
        "id": "17793124-05d4-b198-2fde-7ededc63b103",
        "detail-type": "Object Deleted" if removed else "Object Created",
        "source": "aws.s3",
        "account": "123456789012",
        "time": "2026-01-01T00:00:00Z",
        "region": "us-east-1",
        "resources": [f"arn:aws:s3:::{bucket}"],
        "detail": {
            "version": "0",
            "bucket": {"name": bucket},
            "object": {"key": key, "sequencer": "617f08299329d189"},
            "reason": "DeleteObject" if removed else "PutObject",
        },
    }
    straight = {
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "awsRegion": "us-east-1",
        "eventTime": "2026-01-01T00:00:00.000Z",
        "eventName": "ObjectRemoved:Delete" if removed else "ObjectCreated:Put",
        "s3": {
            "s3SchemaVersion": "1.0",
            "bucket": {"name": bucket, "arn": f"arn:aws:s3:::{bucket}"},
            "object": {"key": quote_plus(key, safe="/"), "sequencer": "617f08299329d189"},
        },
    }
    return json.dumps(through_eventbridge), json.dumps({"Records": [straight]})


class Delivery:
    """Sends events to the ingest queue from a thread of its own; as a context manager it ends with the block."""

    def __init__(self, cloud: Cloud, rng: random.Random) -> None:
        self.dropped = 0
        self.sent = 0
        self._cloud, self._rng = cloud, rng
        self._waiting: list[tuple[float, int, str]] = []
        self._order = itertools.count()
        self._changed = threading.Condition()
        self._sending = False
        self._ended = False
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        self._thread.join()

    def tell(self, key: str, *, removed: bool, surely: bool = False) -> None:
        """Something happened to `key`: send an event, now or later, once or more often, or (unless `surely`) never."""
        if self._rng.random() < _DROPPED and not surely:
            self.dropped += 1
            return
        copies = 1 if self._rng.random() >= _DUPLICATED else self._rng.randint(2, 3)
        with self._changed:
            for _ in range(copies):
                body = self._rng.choice(event_bodies(self._cloud.bucket, key, removed=removed))
                late = self._rng.random() < _DELAYED
                due = time.monotonic() + (self._rng.expovariate(1 / _MEAN_DELAY_SECONDS) if late else 0.0)
                heapq.heappush(self._waiting, (due, next(self._order), body))
            self._changed.notify_all()

    def waiting(self) -> int:
        """Events not yet sent."""
        with self._changed:
            return len(self._waiting) + self._sending

    def _work(self) -> None:
        while bodies := self._due():
            entries = [{"Id": str(place), "MessageBody": body} for place, body in enumerate(bodies)]
            self._cloud.sqs.send_message_batch(
                QueueUrl=self._cloud.ingest_queue_url,
                Entries=entries,  # type: ignore[arg-type]  # exactly what is asked for, as plain dicts
            )
            self.sent += len(bodies)

    def _due(self) -> list[str]:
        """The next events whose time has come, waiting for them; none at the end."""
        with self._changed:
            self._sending = False
            while not self._ended:
                seconds = self._waiting[0][0] - time.monotonic() if self._waiting else None
                if seconds is None or seconds > 0:
                    self._changed.wait(seconds)
                    continue
                self._sending = True
                bodies: list[str] = []
                while self._waiting and len(bodies) < _LARGEST_BATCH and self._waiting[0][0] <= time.monotonic():
                    bodies.append(heapq.heappop(self._waiting)[2])
                return bodies
            return []
