"""Messages of queues, against a server that keeps them."""

from __future__ import annotations

import json

import pytest

from docshelf.aws.queues import BATCH_BYTES, Queue
from docshelf.errors import StoreDeniedError, StoreRefusedError, StoreUnavailableError
from tests.support.cloud import Cloud, new_cloud
from tests.support.scripted_s3 import Answer, Script, queue_error

ODD = "\x01\n\ufffe \U0001f600 \u00e9"


@pytest.fixture
def ingest(cloud: Cloud) -> Queue:
    return Queue(cloud.ingest_queue_url)


@pytest.fixture
def commit(cloud: Cloud) -> Queue:
    return Queue(cloud.commit_queue_url)


@pytest.fixture
def answered(scripted: Script) -> Queue:
    return Queue(f"{scripted.url}/123456789012/documents")


def drained(queue: Queue) -> list[object]:
    bodies: list[object] = []
    while messages := queue.receive():
        bodies += [json.loads(message.body) for message in messages]
        queue.delete([message.receipt for message in messages])
    return bodies


def test_a_message_arrives_as_it_was_sent(ingest: Queue) -> None:
    ingest.send({"key": ODD, "count": 3})
    (message,) = ingest.receive(wait_seconds=1)
    assert json.loads(message.body) == {"key": ODD, "count": 3}
    assert message.receives == 1


def test_any_number_of_messages_is_sent(ingest: Queue) -> None:
    assert ingest.send_all({"number": number} for number in range(103)) == 103
    assert ingest.waiting() == (103, 0)
    bodies = drained(ingest)
    assert sorted(str(body) for body in bodies) == sorted(str({"number": number}) for number in range(103))
    assert ingest.waiting() == (0, 0)


def test_no_messages_are_sent_without_a_request(answered: Queue, scripted: Script) -> None:
    assert answered.send_all([]) == 0
    assert scripted.asked == []


def test_large_messages_are_sent_in_batches_that_fit(ingest: Queue) -> None:
    text = "x" * (BATCH_BYTES // 3)
    assert ingest.send_all({"number": number, "text": text} for number in range(7)) == 7
    assert ingest.waiting() == (7, 0)


def test_a_message_that_is_not_deleted_comes_again(ingest: Queue) -> None:
    ingest.send({"key": "a"})
    (first,) = ingest.receive(visibility_seconds=0)
    (second,) = ingest.receive(visibility_seconds=60)
    assert (first.receives, second.receives) == (1, 2)
    assert ingest.waiting() == (0, 1)
    assert ingest.receive() == []
    ingest.delete([second.receipt])
    assert ingest.waiting() == (0, 0)


def test_a_message_that_nobody_can_use_ends_in_the_dead_letter_queue(
    moto_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloud = new_cloud(moto_url, max_receives=1)
    for name, value in cloud.environment.items():
        monkeypatch.setenv(name, value)
    queue = Queue(cloud.ingest_queue_url)
    queue.send({"key": "a"})
    assert len(queue.receive(visibility_seconds=0)) == 1
    assert queue.receive() == []
    assert Queue(cloud.dead_letter_queue_url).waiting() == (1, 0)


def test_no_more_messages_come_than_are_asked_for(ingest: Queue) -> None:
    ingest.send_all({"number": number} for number in range(12))
    assert len(ingest.receive(2)) == 2
    assert len(ingest.receive(1_000)) <= 10


def test_a_fifo_queue_drops_what_it_had(commit: Queue) -> None:
    commit.send({"file": "a"}, group="index")
    commit.send({"file": "a"}, group="index")
    commit.send({"file": "b"}, group="index", deduplication="1")
    commit.send({"file": "c"}, group="index", deduplication="1")
    assert [json.loads(message.body) for message in commit.receive()] == [{"file": "a"}, {"file": "b"}]


def test_a_queue_has_the_name_and_region_of_its_url() -> None:
    queue = Queue("https://sqs.eu-west-1.amazonaws.com/123456789012/documents.fifo")
    assert (queue.name, queue._region) == ("documents.fifo", "eu-west-1")
    assert Queue("https://eu-west-2.queue.amazonaws.com/1/d")._region == "eu-west-2"
    assert Queue("http://127.0.0.1:1/1/d")._region is None


def test_a_missing_queue_is_named_by_every_operation(cloud: Cloud) -> None:
    queue = Queue(f"{cloud.url}/123456789012/no-such-queue")
    for operation in (
        lambda: queue.send({}),
        lambda: queue.send_all([{}]),
        queue.receive,
        lambda: queue.delete(["receipt"]),
        queue.waiting,
    ):
        with pytest.raises(StoreRefusedError, match="The queue no-such-queue does not exist"):
            operation()


def test_a_receipt_that_has_run_out_is_passed_over(ingest: Queue) -> None:
    ingest.send({"key": "a"})
    (message,) = ingest.receive()
    ingest.delete(["of-nothing", message.receipt])
    assert ingest.waiting() == (0, 0)


def batch(*failed: str, code: str = "InternalError", sender_fault: bool = False) -> Answer:
    entries = [{"Id": place, "SenderFault": sender_fault, "Code": code} for place in failed]
    return Answer(body=json.dumps({"Successful": [], "Failed": entries}).encode())


def test_messages_that_were_not_taken_are_sent_again(answered: Queue, scripted: Script) -> None:
    scripted.on("POST", batch("1", "2"), batch("2"), batch())
    assert answered.send_all({"number": number} for number in range(3)) == 3
    assert [[entry["Id"] for entry in json.loads(body)["Entries"]] for body in scripted.bodies] == [
        ["0", "1", "2"],
        ["1", "2"],
        ["2"],
    ]


def test_messages_that_are_never_taken_are_an_error(answered: Queue, scripted: Script) -> None:
    scripted.on("POST", batch("0"))
    with pytest.raises(StoreUnavailableError, match="The queue documents"):
        answered.send_all([{}])
    assert scripted.asked == ["POST"] * 3


def test_messages_that_are_refused_are_not_sent_again(answered: Queue, scripted: Script) -> None:
    scripted.on("POST", batch("0", code="InvalidMessageContents", sender_fault=True))
    with pytest.raises(StoreRefusedError, match="InvalidMessageContents"):
        answered.send_all([{}])
    assert scripted.asked == ["POST"]


def test_an_error_ends_the_sending(answered: Queue, scripted: Script) -> None:
    scripted.on("POST", queue_error(403, "AccessDeniedException"))
    with pytest.raises(StoreDeniedError, match="sqs:SendMessage"):
        answered.send_all({"number": number} for number in range(10_000))
    assert len(scripted.asked) < 100


def test_messages_that_were_not_deleted_are_deleted_again(answered: Queue, scripted: Script) -> None:
    scripted.on("POST", batch("1"), batch())
    answered.delete(["one", "two"])
    assert [entry["ReceiptHandle"] for entry in json.loads(scripted.bodies[1])["Entries"]] == ["two"]


@pytest.mark.parametrize("code", ["AccessDenied", "KmsAccessDenied"])
def test_a_refusal_names_the_permission_that_is_missing(answered: Queue, scripted: Script, code: str) -> None:
    scripted.on("POST", queue_error(400, code))
    with pytest.raises(StoreDeniedError, match="kms:Decrypt" if code.startswith("Kms") else "sqs:ReceiveMessage"):
        answered.receive()


def test_a_queue_that_fails_is_unavailable(answered: Queue, scripted: Script) -> None:
    scripted.on("POST", queue_error(500, "InternalFailure"))
    with pytest.raises(StoreUnavailableError):
        answered.waiting()
    assert scripted.asked == ["POST"] * 3
