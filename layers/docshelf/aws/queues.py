"""Queues of messages that are JSON objects."""

from __future__ import annotations

import json
import random
import re
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from docshelf.aws.clients import ATTEMPTS, LONGEST_WAIT_SECONDS, sqs_client
from docshelf.aws.faults import by_code, faults_of
from docshelf.batching import batches
from docshelf.errors import StoreUnavailableError

if TYPE_CHECKING:
    from types_boto3_sqs.type_defs import ReceiveMessageRequestTypeDef, SendMessageRequestTypeDef

BATCH_MESSAGES = 10
BATCH_BYTES = 1_048_576
_THREADS = 4
_OLD_RECEIPT = ("MessageNotInflight", "AWS.SimpleQueueService.MessageNotInflight", "ReceiptHandleIsInvalid")
_PAUSE_SECONDS = 0.2
_REGION = re.compile(r"https://(?:sqs\.([a-z0-9-]+)|([a-z0-9-]+)\.queue)\.amazonaws\.com")


@dataclass(frozen=True, slots=True)
class Received:
    """A message, the receipt that deletes it, and how often it was received, with this time."""

    body: str
    receipt: str
    receives: int


class Queue:
    """One queue by its URL. Threads may share it.

    Every method raises StoreUnavailableError where the queue does not answer after all attempts, StoreDeniedError
    where a permission is missing or nobody is logged in, and StoreRefusedError where there is no such queue.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.name = url.rstrip("/").rsplit("/", 1)[-1]
        self._place = f"The queue {self.name}"
        match = _REGION.match(url)
        self._region = match and (match.group(1) or match.group(2))

    def send(self, body: Mapping[str, object], *, group: str | None = None, deduplication: str | None = None) -> None:
        """Send one message; `group` for FIFO queues, which drop what they had in the last five minutes.

        What they had is told by `deduplication`, or by the body where that is not given.
        """
        request: SendMessageRequestTypeDef = {"QueueUrl": self.url, "MessageBody": _text(body)}
        if group is not None:
            request["MessageGroupId"] = group
        if deduplication is not None:
            request["MessageDeduplicationId"] = deduplication
        with faults_of(self._place, "sqs:SendMessage"):
            sqs_client(self._region).send_message(**request)

    def send_all(self, bodies: Iterable[Mapping[str, object]]) -> int:
        """Send any number of messages to a standard queue, in no order, and return how many.

        When an error is raised, any part of them may have been sent.
        """
        count = 0
        under_way: deque[Future[None]] = deque()
        pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="docshelf-send")
        try:
            for batch in batches(map(_text, bodies), len, most=BATCH_MESSAGES, heaviest=BATCH_BYTES):
                if len(under_way) >= 2 * _THREADS:
                    under_way.popleft().result()
                under_way.append(pool.submit(self._send_batch, batch))
                count += len(batch)
            while under_way:
                under_way.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)
        return count

    def receive(
        self, limit: int = BATCH_MESSAGES, wait_seconds: int = 0, visibility_seconds: int | None = None
    ) -> list[Received]:
        """At most `limit` messages (10 at once), waiting up to `wait_seconds` (20) for the first.

        They come again after `visibility_seconds` (or the queue's own) if they are not deleted.
        """
        wait = min(wait_seconds, LONGEST_WAIT_SECONDS)
        request: ReceiveMessageRequestTypeDef = {
            "QueueUrl": self.url,
            "MaxNumberOfMessages": min(limit, BATCH_MESSAGES),
            "WaitTimeSeconds": wait,
            "MessageSystemAttributeNames": ["ApproximateReceiveCount"],
        }
        if visibility_seconds is not None:
            request["VisibilityTimeout"] = visibility_seconds
        with faults_of(self._place, "sqs:ReceiveMessage"):
            response = sqs_client(self._region, waiting=wait > 0).receive_message(**request)
        return [
            Received(message["Body"], message["ReceiptHandle"], int(message["Attributes"]["ApproximateReceiveCount"]))
            for message in response.get("Messages", ())
        ]

    def delete(self, receipts: Sequence[str]) -> None:
        """Delete received messages. A receipt that has run out is passed over: its message comes again."""
        for start in range(0, len(receipts), BATCH_MESSAGES):
            waiting = dict(enumerate(receipts[start : start + BATCH_MESSAGES]))
            for _ in self._attempts():
                with faults_of(self._place, "sqs:DeleteMessage"):
                    response = sqs_client(self._region).delete_message_batch(
                        QueueUrl=self.url,
                        Entries=[{"Id": str(place), "ReceiptHandle": receipt} for place, receipt in waiting.items()],
                    )
                failed = [entry for entry in response.get("Failed", ()) if not entry["SenderFault"]]
                waiting = {int(entry["Id"]): waiting[int(entry["Id"])] for entry in failed}
                if not waiting:
                    break

    def postpone(self, receipt: str, seconds: int) -> None:
        """Let a received message come again `seconds` from now. A receipt that has run out is passed over."""
        with faults_of(self._place, "sqs:ChangeMessageVisibility"):
            try:
                sqs_client(self._region).change_message_visibility(
                    QueueUrl=self.url, ReceiptHandle=receipt, VisibilityTimeout=seconds
                )
            except ClientError as error:
                if error.response["Error"]["Code"] not in _OLD_RECEIPT:
                    raise

    def waiting(self) -> tuple[int, int]:
        """About how many messages are to be received, and how many were received and not deleted yet."""
        with faults_of(self._place, "sqs:GetQueueAttributes"):
            attributes = sqs_client(self._region).get_queue_attributes(
                QueueUrl=self.url,
                AttributeNames=["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
            )["Attributes"]
        return int(attributes["ApproximateNumberOfMessages"]), int(attributes["ApproximateNumberOfMessagesNotVisible"])

    def _send_batch(self, texts: Sequence[str]) -> None:
        waiting = dict(enumerate(texts))
        for _ in self._attempts():
            with faults_of(self._place, "sqs:SendMessage"):
                response = sqs_client(self._region).send_message_batch(
                    QueueUrl=self.url,
                    Entries=[{"Id": str(place), "MessageBody": text} for place, text in waiting.items()],
                )
            failed = response.get("Failed", [])
            for entry in failed:
                if entry["SenderFault"]:
                    raise by_code(entry["Code"], entry.get("Message", ""), self._place, "sqs:SendMessage")
            waiting = {int(entry["Id"]): waiting[int(entry["Id"])] for entry in failed}
            if not waiting:
                return

    def _attempts(self) -> Iterator[int]:
        """As many attempts at a batch as are made, with pauses between; behind the last comes the error."""
        for attempt in range(1, ATTEMPTS + 1):
            yield attempt
            if attempt < ATTEMPTS:
                time.sleep(_PAUSE_SECONDS * attempt * (1 + random.random()))  # noqa: S311  no secret
        raise StoreUnavailableError(f"{self._place} did not take a request for some of its messages: try again later.")


def _text(body: Mapping[str, object]) -> str:
    # ASCII: a queue refuses some of the characters that keys may have.
    return json.dumps(body, separators=(",", ":"))
