"""Both functions under AWS's own runtime client, from a change in the bucket to an answer of the index."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from docshelf.index.live import LiveIndex
from docshelf.messages import Maintain, Sweep, to_body
from docshelf.states import State
from tests.support.chaos_events import event_bodies
from tests.support.chaos_lanes import messages_in, wait_until_idle
from tests.support.cloud import Cloud
from tests.support.event_source import EventSource, Habits
from tests.support.handler_processes import HandlerFailedError
from tests.support.hits import text_hits
from tests.support.lambda_runtime import LambdaRuntime

NAMES = ("ingest", "commit")
SECONDS = 60


@pytest.fixture
def functions(cloud: Cloud, tmp_path: Path) -> Iterator[dict[str, LambdaRuntime]]:
    """Both functions, in processes of their own; what they wrote is shown where a test fails."""
    environment = {**cloud.environment, "DOCSHELF_MODEL": "all-minilm-l6-v2", "DOCSHELF_OFFLINE": "1"}
    logs = {name: tmp_path / f"{name}.log" for name in NAMES}
    with ExitStack() as ends:
        yield {
            name: ends.enter_context(LambdaRuntime(name, environment, logs[name], seconds=SECONDS)) for name in NAMES
        }
    for name, log in logs.items():
        print(f"{name}: {log.read_text()}")


def settle(cloud: Cloud, functions: dict[str, LambdaRuntime]) -> None:
    """Let the queues drive the functions until nothing is left."""
    urls = {"ingest": cloud.ingest_queue_url, "commit": cloud.commit_queue_url}
    with ExitStack() as ends:
        sources = [
            ends.enter_context(EventSource(cloud.sqs, urls[name], [functions[name]], random.Random(0), Habits()))
            for name in NAMES
        ]
        places = {name: (lambda url=url: messages_in(cloud.sqs, url)) for name, url in urls.items()}
        wait_until_idle("at the end", places, sources, SECONDS)
        assert [source.errors for source in sources] == [[], []]


def text(cloud: Cloud, key: str) -> str:
    """What the index holds of a document."""
    return "".join(chunk.text for chunk in LiveIndex(cloud.index).current().chunks_of(key))


def keys_found(cloud: Cloud, word: str) -> set[str]:
    """The documents that a search finds."""
    index = LiveIndex(cloud.index).current()
    return {candidate.chunk.source for candidate in text_hits(index, word, 10)}


def test_a_change_in_the_bucket_becomes_an_answer_of_the_index(
    cloud: Cloud, functions: dict[str, LambdaRuntime]
) -> None:
    arn = cloud.sqs.get_queue_attributes(QueueUrl=cloud.ingest_queue_url, AttributeNames=["QueueArn"])["Attributes"]
    cloud.s3.put_bucket_notification_configuration(
        Bucket=cloud.bucket,
        NotificationConfiguration={
            "QueueConfigurations": [
                {"QueueArn": arn["QueueArn"], "Events": ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"]}
            ]
        },
    )
    assert messages_in(cloud.sqs, cloud.ingest_queue_url) == 1, "S3's test event"
    odd = "notes/a b+c%20 \u00fc\U0001f980.md"
    cloud.put(odd, "# Cassowary\n\nA large bird.\n")
    cloud.put("notes/gone.md", "# Ptarmigan\n\nA small bird.\n")
    cloud.put("notes/empty.md", "")
    settle(cloud, functions)
    assert text(cloud, odd) == "# Cassowary\n\nA large bird.\n"
    assert keys_found(cloud, "ptarmigan") == {"notes/gone.md"}
    cloud.put(odd, "# Cassowary\n\nIt runs fast.\n")
    cloud.remove("notes/gone.md")
    settle(cloud, functions)
    assert text(cloud, odd) == "# Cassowary\n\nIt runs fast.\n"
    assert keys_found(cloud, "ptarmigan") == set()
    index = LiveIndex(cloud.index).current()
    assert index.state_counts() == {State.INDEXED: 1, State.EMPTY: 1}


def test_events_through_eventbridge_sweeps_and_maintenance_reach_the_functions(
    cloud: Cloud, functions: dict[str, LambdaRuntime]
) -> None:
    cloud.put("told #1%.md", "Told by an event.")
    cloud.put("never told.md", "Found by the sweep.")
    through_eventbridge, _ = event_bodies(cloud.bucket, "told #1%.md", removed=False)
    cloud.sqs.send_message(QueueUrl=cloud.ingest_queue_url, MessageBody=through_eventbridge)
    settle(cloud, functions)
    assert (text(cloud, "told #1%.md"), text(cloud, "never told.md")) == ("Told by an event.", "")
    for chore in (Sweep(), Maintain()):
        cloud.sqs.send_message(
            QueueUrl=cloud.commit_queue_url, MessageBody=json.dumps(to_body(chore)), MessageGroupId="index"
        )
    settle(cloud, functions)
    assert text(cloud, "never told.md") == "Found by the sweep."


def test_what_a_function_raises_is_reported(functions: dict[str, LambdaRuntime]) -> None:
    for name in NAMES:
        with pytest.raises(HandlerFailedError, match="MessageError"):
            functions[name]({"no": "records"})
