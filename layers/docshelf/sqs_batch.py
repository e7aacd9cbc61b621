"""A batch of SQS messages as a Lambda function gets it, and the answer that says which of them to deliver again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from docshelf.aws.queues import Queue
from docshelf.errors import DocshelfError, MessageError
from docshelf.observability import logger

LONGEST_PAUSE_SECONDS = 900
PAUSES_SECONDS = (5, 30, 180, LONGEST_PAUSE_SECONDS)
"""How long a message waits that came back once, twice, three times, more often: together longer than most outages."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message; `receives` counts its deliveries, this one included, which the queue knows by `receipt`."""

    id: str
    body: str
    receives: int
    receipt: str = ""


def messages_of(event: Mapping[str, object]) -> list[Message]:
    """The messages of an event of SQS, in their order.

    Raises:
        MessageError: the function was called with something else.
    """
    records = event.get("Records")
    if not isinstance(records, list):
        raise MessageError("This function takes events of SQS only.")
    return [_message(record) for record in records]


def _message(record: object) -> Message:
    if isinstance(record, dict):
        message_id, body, attributes = record.get("messageId"), record.get("body"), record.get("attributes")
        if isinstance(message_id, str) and isinstance(body, str) and isinstance(attributes, dict):
            receives = str(attributes.get("ApproximateReceiveCount", "1"))
            receipt = record.get("receiptHandle")
            count = int(receives) if receives.isdigit() else 1
            return Message(message_id, body, count, receipt if isinstance(receipt, str) else "")
    raise MessageError("This function takes events of SQS only.")


def answer(
    failed: Sequence[Message], queue: Queue, longest_pause_seconds: int = LONGEST_PAUSE_SECONDS
) -> dict[str, object]:
    """The partial batch response: these messages are delivered again, all others are deleted.

    They come again after a few seconds, and later the more often they came. The queue's own visibility timeout, which
    must be long enough for several invocations, is for functions that end without an answer.
    """
    try:
        for message in failed:
            if message.receipt:
                queue.postpone(message.receipt, min(longest_pause_seconds, _pause_seconds(message.receives)))
    except DocshelfError as error:
        logger.warning("Messages come again only after the queue's visibility timeout.", reason=error.sentence)
    return {"batchItemFailures": [{"itemIdentifier": message.id} for message in failed]}


def _pause_seconds(receives: int) -> int:
    """The pause behind the delivery of this number, the longest from the last of them on."""
    return PAUSES_SECONDS[min(max(receives, 1), len(PAUSES_SECONDS)) - 1]
