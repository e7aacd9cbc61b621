"""A queue's messages reach handlers as Lambda would bring them, and come back as Lambda would bring them back."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Mapping
from typing import cast

import pytest

from tests.support.chaos_lanes import NotDrainedError, messages_in, wait_until_idle
from tests.support.cloud import Cloud
from tests.support.event_source import Event, EventSource, Habits
from tests.support.handler_processes import HandlerEndedError, HandlerFailedError

Records = list[dict[str, object]]


class Toy:
    """A handler that notes what it gets and answers as it is told, and nothing in particular later."""

    def __init__(self, *answers: Callable[[Records], object]) -> None:
        self.batches: list[Records] = []
        self._answers = list(answers)

    def __call__(self, event: Event) -> object:
        records = cast("Records", event["Records"])
        self.batches.append(records)
        return self._answers.pop(0)(records) if self._answers else None

    def bodies(self) -> list[object]:
        return [record["body"] for batch in self.batches for record in batch]

    def receives(self) -> list[object]:
        attributes = [cast("Mapping[str, str]", record["attributes"]) for batch in self.batches for record in batch]
        return [one["ApproximateReceiveCount"] for one in attributes]


def ends(_: Records) -> object:
    raise HandlerEndedError("killed")


def raises(_: Records) -> object:
    raise HandlerFailedError("ValueError: no")


def gives_back_all_but_the_first(records: Records) -> object:
    return {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in records[1:]]}


def send(cloud: Cloud, *bodies: str, group: str | None = None) -> None:
    for body in bodies:
        if group:
            cloud.sqs.send_message(QueueUrl=cloud.commit_queue_url, MessageBody=body, MessageGroupId=group)
        else:
            cloud.sqs.send_message(QueueUrl=cloud.ingest_queue_url, MessageBody=body)


def work_off(cloud: Cloud, url: str, *toys: Toy, habits: Habits | None = None) -> EventSource:
    """Let the handlers work until the queue is empty."""
    with EventSource(cloud.sqs, url, toys, random.Random(1), habits or Habits()) as source:
        wait_until_idle("at the end", {"queue": lambda: messages_in(cloud.sqs, url)}, [source], 20)
    return source


def test_every_message_is_handled_once_and_deleted(cloud: Cloud) -> None:
    toys = [Toy(), Toy(), Toy()]
    sent = [f"m{number}" for number in range(25)]
    send(cloud, *sent)
    source = work_off(cloud, cloud.ingest_queue_url, *toys)
    assert sorted(str(body) for toy in toys for body in toy.bodies()) == sorted(sent)
    assert source.redelivered == 0


@pytest.mark.parametrize("answer", [ends, raises, lambda _: {"batchItemFailures": [{"itemIdentifier": "other"}]}])
def test_a_batch_comes_back_whole_where_the_handler_has_no_proper_answer(
    cloud: Cloud, answer: Callable[[Records], object]
) -> None:
    toy = Toy(answer)
    send(cloud, "m")
    source = work_off(cloud, cloud.ingest_queue_url, toy)
    assert (toy.bodies(), toy.receives()) == (["m", "m"], ["1", "2"])
    assert (source.redelivered, len(source.errors)) == (1, int(answer is raises))


def test_only_what_failed_comes_back(cloud: Cloud) -> None:
    toy = Toy(gives_back_all_but_the_first)
    send(cloud, "a", "b", "c", group="g")
    work_off(cloud, cloud.commit_queue_url, toy)
    first = ["a", "b", "c"][: len(toy.batches[0])]
    # SQS keeps the order within a group; moto does not for what came back together.
    assert (toy.bodies()[: len(first)], sorted(map(str, toy.bodies()[len(first) :]))) == (first, ["b", "c"])


def test_one_group_is_worked_on_by_one_handler_at_a_time(cloud: Cloud) -> None:
    working, most, lock = 0, 0, threading.Lock()

    def handle(event: Event) -> object:
        nonlocal working, most
        with lock:
            working += 1
            most = max(most, working)
        assert event["Records"]
        messages_in(cloud.sqs, cloud.commit_queue_url)
        with lock:
            working -= 1
        return None

    send(cloud, *map(str, range(30)), group="g")
    handlers = [handle, handle, handle]
    with EventSource(cloud.sqs, cloud.commit_queue_url, handlers, random.Random(2), Habits()) as source:
        wait_until_idle("", {"queue": lambda: messages_in(cloud.sqs, cloud.commit_queue_url)}, [source], 20)
    assert most == 1


def test_a_lost_acknowledgement_brings_the_message_again(cloud: Cloud) -> None:
    toy, losses = Toy(), [True, False]
    send(cloud, "m")
    source = work_off(cloud, cloud.ingest_queue_url, toy, habits=Habits(lambda: losses.pop(0)))
    assert (toy.bodies(), source.lost) == (["m", "m"], 1)


def test_a_message_that_fails_five_times_is_a_dead_letter(cloud: Cloud) -> None:
    toy = Toy(*[ends] * 9)
    send(cloud, json.dumps({"a": 1}))
    work_off(cloud, cloud.ingest_queue_url, toy)
    assert toy.receives() == ["1", "2", "3", "4", "5"]
    assert messages_in(cloud.sqs, cloud.dead_letter_queue_url) == 1


def test_others_see_each_batch_before_it_is_handled(cloud: Cloud) -> None:
    toy, copies = Toy(), list[Event]()
    send(cloud, "m")
    work_off(cloud, cloud.ingest_queue_url, toy, habits=Habits(on_batch=copies.append))
    assert [event["Records"] for event in copies] == toy.batches


def test_what_does_not_become_empty_is_told() -> None:
    with pytest.raises(NotDrainedError, match=r"0 s at last there is still something left: \{'here': 3\}"):
        wait_until_idle("at last", {"here": lambda: 3, "there": lambda: 0}, [], 0)


def test_a_source_whose_thread_ended_is_told(cloud: Cloud) -> None:
    source = EventSource(cloud.sqs, cloud.ingest_queue_url, [Toy()], random.Random(1), Habits())
    with pytest.raises(NotDrainedError, match="a thread that polls a queue ended early"):
        wait_until_idle("early", {}, [source], 1)
