"""A batch of messages as a function gets it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import pytest

from docshelf.aws.queues import Queue
from docshelf.errors import MessageError
from docshelf.sqs_batch import Message, answer, messages_of
from tests.support.cloud import Cloud
from tests.support.event_source import sqs_event


def record(name: str, receives: str = "1") -> dict[str, object]:
    return {"messageId": name, "body": f"body {name}", "attributes": {"ApproximateReceiveCount": receives}}


def test_messages_keep_their_order_and_delivery_counts() -> None:
    assert messages_of({"Records": [record("b"), record("a", "4")]}) == [
        Message("b", "body b", 1),
        Message("a", "body a", 4),
    ]


def received(cloud: Cloud) -> list[dict[str, object]]:
    answer = cloud.sqs.receive_message(QueueUrl=cloud.ingest_queue_url, MessageSystemAttributeNames=["All"])
    return cast("list[dict[str, object]]", sqs_event(answer.get("Messages", []), cloud.ingest_queue_url)["Records"])


def test_the_answer_names_what_must_come_again_and_lets_it_come_later(cloud: Cloud) -> None:
    queue = Queue(cloud.ingest_queue_url)
    cloud.sqs.send_message(QueueUrl=queue.url, MessageBody="x")
    again = messages_of({"Records": received(cloud)})
    assert answer(again, queue) == {"batchItemFailures": [{"itemIdentifier": again[0].id}]}
    assert received(cloud) == []
    counts = cloud.sqs.get_queue_attributes(
        QueueUrl=queue.url, AttributeNames=["ApproximateNumberOfMessagesNotVisible"]
    )
    assert counts["Attributes"]["ApproximateNumberOfMessagesNotVisible"] == "1"
    assert answer([], queue) == {"batchItemFailures": []}


def test_a_message_that_cannot_be_postponed_comes_again_all_the_same(
    cloud: Cloud, caplog: pytest.LogCaptureFixture
) -> None:
    queue = Queue(cloud.ingest_queue_url)
    cloud.sqs.send_message(QueueUrl=queue.url, MessageBody="x")
    again = messages_of({"Records": received(cloud)})
    assert answer(again, Queue(f"{queue.url}-gone")) == {"batchItemFailures": [{"itemIdentifier": again[0].id}]}
    assert "visibility timeout" in caplog.text


def test_a_message_that_came_back_by_itself_is_left_alone(cloud: Cloud) -> None:
    queue = Queue(cloud.ingest_queue_url)
    cloud.sqs.send_message(QueueUrl=queue.url, MessageBody="x")
    again = messages_of({"Records": received(cloud)})
    cloud.sqs.delete_message(QueueUrl=queue.url, ReceiptHandle=again[0].receipt)
    assert len(cast("list[object]", answer(again, queue)["batchItemFailures"])) == 1


@pytest.mark.parametrize(
    "event", [{}, {"Records": {}}, {"Records": ["x"]}, {"Records": [{"messageId": "a"}]}, {"Records": [{"body": "a"}]}]
)
def test_another_event_is_refused(event: Mapping[str, object]) -> None:
    with pytest.raises(MessageError):
        messages_of(event)
