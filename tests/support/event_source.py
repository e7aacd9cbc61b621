"""What Lambda does with a queue: receive batches, invoke handlers, delete or give back what they answer."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from botocore.exceptions import ClientError

from tests.support.handler_processes import HandlerEndedError, HandlerFailedError

if TYPE_CHECKING:
    from types_boto3_sqs import SQSClient
    from types_boto3_sqs.type_defs import MessageTypeDef

Event = dict[str, object]
_LARGEST_BATCH = 10
_POLL_SECONDS = 1
_RETRY_SECONDS = 1


class Invoke(Protocol):
    """Have one handler answer an event."""

    def __call__(self, event: Event) -> object:
        """Raises HandlerEndedError, HandlerFailedError."""


@dataclass(frozen=True)
class Habits:
    """How a source treats its batches: which acknowledgements are lost, and who else gets to see a batch."""

    loses_acknowledgement: Callable[[], bool] = lambda: False
    on_batch: Callable[[Event], None] = lambda _: None


class EventSource:
    """Polls one queue for any number of handlers; as a context manager it stops with the block.

    Every handler is called from a thread of its own with one batch at a time. An answer's `batchItemFailures` are
    given back, as is everything where a handler ended or raised; what is left is deleted.
    """

    def __init__(
        self, sqs: SQSClient, queue_url: str, handlers: Sequence[Invoke], rng: random.Random, habits: Habits
    ) -> None:
        self.redelivered = 0
        self.batches = 0
        self.lost = 0
        self.errors: list[str] = []
        self._sqs, self._url, self._rng, self._habits = sqs, queue_url, rng, habits
        self._stopping = threading.Event()
        self._receiving, self._counting = threading.Lock(), threading.Lock()
        self._threads = [threading.Thread(target=self._work, args=(handler,), daemon=True) for handler in handlers]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def alive(self) -> bool:
        """Whether every handler still has its thread; a thread ends early only by a fault of the harness."""
        return all(thread.is_alive() for thread in self._threads)

    def _work(self, handler: Invoke) -> None:
        while not self._stopping.is_set():
            # One long poll at a time is enough, and spares the server.
            with self._receiving:
                messages = [] if self._stopping.is_set() else self._receive()
            if messages:
                self._process(handler, messages)

    def _receive(self) -> list[MessageTypeDef]:
        answer = self._sqs.receive_message(
            QueueUrl=self._url,
            MaxNumberOfMessages=self._rng.randint(1, _LARGEST_BATCH),
            WaitTimeSeconds=_POLL_SECONDS,
            MessageSystemAttributeNames=["All"],
        )
        return answer.get("Messages", [])

    def _process(self, handler: Invoke, messages: list[MessageTypeDef]) -> None:
        event, batch = sqs_event(messages, self._url), {message["MessageId"] for message in messages}
        self._habits.on_batch(event)
        retry_seconds = _RETRY_SECONDS
        try:
            failed = _failed_ids(handler(event), batch)
        except HandlerEndedError:
            # Lambda waits for the visibility timeout; the messages are the same when they come back sooner.
            failed, retry_seconds = batch, 0
        except HandlerFailedError as error:
            failed = batch
            with self._counting:
                self.errors.append(str(error))
        with self._counting:
            self.batches += 1
            if self._habits.loses_acknowledgement():
                failed, retry_seconds = batch, 0
                self.lost += 1
            self.redelivered += len(failed)
        self._settle(messages, failed, retry_seconds)

    def _settle(self, messages: list[MessageTypeDef], failed: set[str], retry_seconds: int) -> None:
        receipts = [message["ReceiptHandle"] for message in messages if message["MessageId"] not in failed]
        if receipts:
            entries = [{"Id": str(place), "ReceiptHandle": receipt} for place, receipt in enumerate(receipts)]
            self._sqs.delete_message_batch(QueueUrl=self._url, Entries=entries)  # type: ignore[arg-type]  # as asked for
        for message in messages:
            if message["MessageId"] in failed:
                with contextlib.suppress(ClientError):  # its visibility timeout has passed: it is back already
                    self._sqs.change_message_visibility(
                        QueueUrl=self._url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=retry_seconds
                    )


def sqs_event(messages: Sequence[MessageTypeDef], queue_url: str) -> Event:
    """The event that a function gets for a batch."""
    name = queue_url.rpartition("/")[2]
    return {
        "Records": [
            {
                "messageId": message["MessageId"],
                "receiptHandle": message["ReceiptHandle"],
                "body": message["Body"],
                "attributes": {str(name): value for name, value in message.get("Attributes", {}).items()},
                "messageAttributes": {},
                "md5OfBody": message.get("MD5OfBody", ""),
                "eventSource": "aws:sqs",
                "eventSourceARN": f"arn:aws:sqs:us-east-1:123456789012:{name}",
                "awsRegion": "us-east-1",
            }
            for message in messages
        ]
    }


def _failed_ids(answer: object, batch: set[str]) -> set[str]:
    """The messages to give back; all of them where the answer is not of the form that Lambda demands."""
    if answer is None:
        return set()
    failures = answer.get("batchItemFailures", []) if isinstance(answer, Mapping) else None
    if not isinstance(failures, list):
        return batch
    failed = {str(item.get("itemIdentifier")) for item in failures if isinstance(item, Mapping)}
    return failed if failed <= batch and len(failed) == len(failures) else batch
