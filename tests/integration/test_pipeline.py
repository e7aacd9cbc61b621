"""Changes that race with the functions: what was read is old when it is committed."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest

from docshelf.embedding.embedder import Embedder
from docshelf.messages import Maintain, Sweep
from tests.support.chaos_events import event_bodies
from tests.support.cloud import Cloud
from tests.support.event_source import Event
from tests.support.pipeline import PLENTY, Pipeline, failures, pipeline, record

LONG = "".join(f"## Part {number}\n\nThe part {number} of the manual.\n\n" for number in range(6))


@pytest.fixture
def shelf(cloud: Cloud) -> Iterator[Pipeline]:
    with pipeline(cloud) as made:
        yield made


def change_while_embedding(monkeypatch: pytest.MonkeyPatch, change: threading.Event, changed: threading.Event) -> None:
    """Make the model say when it is about to embed, and wait until the bucket was changed."""
    embed = Embedder.embed_passages

    def after_the_change(self: Embedder, texts: list[str]) -> object:
        change.set()
        assert changed.wait(20)
        return embed(self, texts)

    monkeypatch.setattr(Embedder, "embed_passages", after_the_change)


@pytest.mark.parametrize("replacement", [None, "Short.\n"])
def test_an_object_that_changes_while_it_is_embedded_ends_as_it_is_now(
    shelf: Pipeline, monkeypatch: pytest.MonkeyPatch, replacement: str | None
) -> None:
    change, changed = threading.Event(), threading.Event()
    shelf.cloud.put("m.md", LONG)
    with monkeypatch.context() as patched, ThreadPoolExecutor(1) as pool:
        change_while_embedding(patched, change, changed)
        prepared = pool.submit(shelf.prepare, "m.md")
        assert change.wait(20)
        if replacement is None:
            shelf.cloud.remove("m.md")
        else:
            shelf.cloud.put("m.md", replacement)
        changed.set()
        assert prepared.result() == []
    shelf.drain()
    assert shelf.text("m.md") == (replacement or "")
    assert shelf.sources() == ([] if replacement is None else ["m.md"])


def test_an_older_event_that_comes_last_changes_nothing(shelf: Pipeline) -> None:
    bodies: dict[int, tuple[str, str]] = {}
    for removed in (False, True, False):
        if removed:
            shelf.cloud.remove("m.md")
        else:
            shelf.cloud.put("m.md", LONG if not bodies else "New.\n")
        bodies[len(bodies)] = event_bodies(shelf.cloud.bucket, "m.md", removed=removed)
    for number in (2, 1, 0):
        for body in bodies[number]:
            event = {"Records": [record(body)]}
            assert failures(shelf.ingest.handle(event, lambda: PLENTY)) == []
            shelf.drain()
            assert shelf.text("m.md") == "New.\n"


def take_batch(shelf: Pipeline) -> Event:
    """The next batch for the lane, taken off the queue."""
    event = shelf.batch(shelf.cloud.commit_queue_url)
    for one in cast("list[dict[str, str]]", event["Records"]):
        shelf.cloud.sqs.delete_message(QueueUrl=shelf.cloud.commit_queue_url, ReceiptHandle=one["receiptHandle"])
    return event


def test_prepared_documents_committed_in_the_wrong_order_end_as_the_bucket_is(shelf: Pipeline) -> None:
    shelf.cloud.put("m.md", LONG)
    shelf.prepare("m.md")
    old = take_batch(shelf)
    shelf.cloud.put("m.md", "New.\n")
    shelf.sync("m.md")
    assert shelf.text("m.md") == "New.\n"
    assert failures(shelf.lane.handle(old, lambda: PLENTY)) == []
    shelf.drain()
    assert shelf.text("m.md") == "New.\n"


def test_two_lanes_by_mistake_leave_no_row_twice_and_lose_none(
    cloud: Cloud, shelf: Pipeline, caplog: pytest.LogCaptureFixture
) -> None:
    cloud.put("first.md", "# First\n\nMakes the index.\n")
    shelf.sync("first.md")
    rng, texts = random.Random(0), dict[str, str]()
    with pipeline(cloud) as second, ThreadPoolExecutor(2) as pool:
        for number in range(3):
            # What the tables' indexes cover is written in another way than what is not.
            assert shelf.chore(Maintain()) == []
            keys = [f"{number % 2}/{place}.md" for place in range(6)]
            for key in keys:
                texts[key] = "".join(f"## {part}\n\n{rng.random()}\n\n" for part in range(rng.randint(1, 4)))
                cloud.put(key, texts[key])
            shelf.prepare(*keys)
            batch = take_batch(shelf)
            lanes = (shelf.lane, second.lane)
            answers = [pool.submit(lane.handle, dict(batch), lambda: PLENTY) for lane in lanes]
            for answer in answers:
                failures(answer.result())
    assert shelf.chore(Sweep()) == []
    shelf.drain()
    assert {key: shelf.text(key) for key in texts} == texts
    assert list(shelf.sources()) == sorted([*texts, "first.md"])
    assert "look for a second consumer of the commit queue" in caplog.text
