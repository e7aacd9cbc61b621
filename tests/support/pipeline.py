"""Both functions in this process, over real queues and buckets, one step at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from docshelf.commit.lane import Lane
from docshelf.index.live import LiveIndex
from docshelf.index.records import DocumentRecord
from docshelf.index.store import Index
from docshelf.ingest.function import Ingest
from docshelf.messages import LookAt, Maintain, Sweep, to_body
from docshelf.settings import CloudSettings, Limits
from tests.support.cloud import Cloud
from tests.support.event_source import Event, sqs_event

PLENTY = 900.0
_ROUNDS = 50


def record(body: str, receives: int = 1, name: str = "m") -> dict[str, object]:
    """A message as a function gets it."""
    return {"messageId": name, "body": body, "attributes": {"ApproximateReceiveCount": str(receives)}}


def look_at(key: str) -> str:
    """The body of a message about `key`."""
    return json.dumps(to_body(LookAt(key)))


def failures(answer: dict[str, object]) -> list[str]:
    """The ids of the messages that a function wants to see again."""
    items = cast("list[dict[str, str]]", answer["batchItemFailures"])
    return [item["itemIdentifier"] for item in items]


@dataclass
class Pipeline:
    """One instance of each function."""

    cloud: Cloud
    ingest: Ingest
    lane: Lane

    def prepare(self, *keys: str, receives: int = 1, remaining: float = PLENTY) -> list[str]:
        """Have ingest look at `keys` in one batch; the keys that must come again."""
        records = [record(look_at(key), receives, key) for key in keys]
        return failures(self.ingest.handle({"Records": records}, lambda: remaining))

    def commit(self, *, keep: bool = False) -> int:
        """Let the lane take one batch from its queue. `keep` loses the acknowledgement. Returns the messages done."""
        event = self.batch(self.cloud.commit_queue_url)
        records = cast("list[dict[str, str]]", event["Records"])
        if not records:
            return 0
        again = failures(self.lane.handle(event, lambda: PLENTY))
        done = [one for one in records if one["messageId"] not in again]
        for one in records:
            receipt = {"QueueUrl": self.cloud.commit_queue_url, "ReceiptHandle": one["receiptHandle"]}
            if keep or one not in done:
                self.cloud.sqs.change_message_visibility(
                    QueueUrl=receipt["QueueUrl"], ReceiptHandle=receipt["ReceiptHandle"], VisibilityTimeout=0
                )
            else:
                self.cloud.sqs.delete_message(**receipt)
        return len(done)

    def ingest_queue(self) -> int:
        """Let ingest take one batch from its queue; how many messages it had."""
        event = self.batch(self.cloud.ingest_queue_url)
        records = cast("list[dict[str, str]]", event["Records"])
        if records:
            again = failures(self.ingest.handle(event, lambda: PLENTY))
            for one in records:
                if one["messageId"] not in again:
                    self.cloud.sqs.delete_message(
                        QueueUrl=self.cloud.ingest_queue_url, ReceiptHandle=one["receiptHandle"]
                    )
        return len(records)

    def drain(self) -> None:
        """Work until both queues are empty."""
        for _ in range(_ROUNDS):
            if not self.ingest_queue() + self.commit():
                return
        raise AssertionError("the queues do not become empty")

    def sync(self, *keys: str) -> None:
        """Have `keys` looked at and committed, and whatever follows from it."""
        assert self.prepare(*keys) == []
        self.drain()

    def chore(self, message: Maintain | Sweep) -> list[str]:
        """Give the lane one chore; the ids that must come again."""
        return failures(self.lane.handle({"Records": [record(json.dumps(to_body(message)))]}, lambda: PLENTY))

    def batch(self, url: str) -> Event:
        """The next messages of a queue as an event."""
        answer = self.cloud.sqs.receive_message(
            QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=0, MessageSystemAttributeNames=["All"]
        )
        return sqs_event(answer.get("Messages", []), url)

    def index(self) -> Index:
        """The index as it is now."""
        return LiveIndex(self.cloud.index).current()

    def document(self, key: str) -> DocumentRecord | None:
        """What the index holds of a file."""
        return self.index().document(key)

    def text(self, key: str) -> str:
        """The text that is searchable of a file."""
        return "".join(chunk.text for chunk in self.index().chunks_of(key))

    def sources(self) -> Sequence[str]:
        """Every file that the index knows, in order."""
        return [document.source for document in self.index().all_documents()]


@contextmanager
def pipeline(cloud: Cloud, limits: Limits | None = None, **settings: int | str) -> Iterator[Pipeline]:
    """Functions of an environment whose variables are set; ended with the block."""
    variables = {f"DOCSHELF_{name.upper()}": str(value) for name, value in settings.items()}
    environment = {**os.environ, "DOCSHELF_MODEL": "all-minilm-l6-v2", **variables}
    made = CloudSettings.from_environment(environment)
    ingest, lane = Ingest(made, limits or Limits()), Lane(made, limits or Limits())
    try:
        yield Pipeline(cloud, ingest, lane)
    finally:
        ingest.close()
        lane.close()
