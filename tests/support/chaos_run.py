"""One seed of the randomized test: from an empty bucket to the comparison at the end."""

from __future__ import annotations

import json
import random
import time
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError

from docshelf.messages import Maintain, Sweep, to_body
from tests.support.chaos_bucket import ChangingBucket
from tests.support.chaos_events import Delivery
from tests.support.chaos_faults import Weather
from tests.support.chaos_lanes import NotDrainedError, SecondLane, messages_in, wait_until_idle
from tests.support.chaos_stage import COMMIT, INGEST, READER, Instance, Stage, answered, handler_environment
from tests.support.chaos_verdict import differences
from tests.support.chaos_watch import Readers
from tests.support.cloud import new_cloud
from tests.support.event_source import EventSource, Habits

_LOST_ACKNOWLEDGEMENTS = 0.03
_MEAN_PAUSE_SECONDS = 0.06
_CHORE_SHARE = 0.06
_MOST_HANDLERS = 8
_READERS = 1
_GROUP = "index"


@dataclass
class Result:
    """How a seed ended; no `problems` means that nothing differed."""

    seed: int
    traits: str = ""
    operations: int = 0
    faults: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    redelivered: int = 0
    polls: int = 0
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class SeedRun:
    """Everything of one seed on a stage; `run` once. What the handlers write goes to `log`."""

    def __init__(self, stage: Stage, seed: int, operations: int, log: Path) -> None:
        self._stage, self._operations, self._log = stage, operations, log
        self._rng = random.Random(seed)
        self._two_lanes, versioned = seed % 5 == 4, seed % 2 == 1
        self._handlers = self._rng.randint(1, _MOST_HANDLERS)
        # Readers must survive that old versions are cleaned up as soon as a deployment may do it.
        kept = self._rng.choice((5, 600))
        self._cloud = new_cloud(stage.url, versioned=versioned, visibility_seconds=120)
        self._environment = handler_environment(self._cloud, DOCSHELF_KEEP_VERSIONS_SECONDS=str(kept))
        self._weather = Weather()
        self._instances: list[Instance] = []
        self._sources: list[EventSource] = []
        self._second: SecondLane | None = None
        self._delivery = Delivery(self._cloud, self._new_rng())
        self._bucket = ChangingBucket(self._cloud, self._delivery, self._new_rng())
        lanes, kind = "two lanes" if self._two_lanes else "one lane", "versioned" if versioned else "plain"
        self._result = Result(seed, f"{kind} bucket, {self._handlers} ingest, {lanes}, versions kept {kept} s")

    def run(self) -> Result:
        """Run the seed to its end and compare."""
        began, result = time.monotonic(), self._result
        try:
            with ExitStack() as ends:
                ends.callback(self._close_instances)
                self._act(ends)
        except (NotDrainedError, RuntimeError, ClientError, BotoCoreError) as error:
            result.problems.append(f"the run ended early: {error}")
        tally = self._weather.tally
        result.operations, result.kills = self._bucket.operations, tally.kills
        result.faults = tally.faults.total() + tally.kills.total() + self._delivery.dropped
        for source in self._sources:
            result.faults += source.lost
            result.redelivered += source.redelivered
            result.errors += source.errors
        result.errors += self._second.errors if self._second else []
        result.seconds = time.monotonic() - began
        return result

    def _act(self, ends: ExitStack) -> None:
        self._weather.calm.set()
        readers = [self._instance(READER, disturbed=False) for _ in range(_READERS)]
        ends.enter_context(self._delivery)
        self._start_lanes(ends)
        self._bucket.begin()
        self._wait("after the first documents")
        watch = Readers(readers, self._bucket)
        ends.callback(self._note, watch)
        with watch:
            self._weather.calm.clear()
            self._change()
            self._weather.calm.set()
            self._wait("after the operations")
            for chore in (Maintain(), Sweep()):
                self._send(chore)
                self._wait(f"after the {chore.kind}")
        self._result.problems += differences(self._bucket, answered(readers[0], {"everything": True}))

    def _note(self, watch: Readers) -> None:
        self._result.polls = watch.polls
        self._result.problems += watch.problems

    def _start_lanes(self, ends: ExitStack) -> None:
        ingest, habits = [self._instance(INGEST) for _ in range(self._handlers)], Habits(self._loses)
        lane, lane_habits = self._instance(COMMIT), habits
        if self._two_lanes:
            self._second = SecondLane(self._instance(COMMIT), self._new_rng())
            ends.callback(self._second.close)
            lane_habits = Habits(self._loses, on_batch=self._second.offer)
        sqs, rng = self._cloud.sqs, self._new_rng()
        self._sources = [
            EventSource(sqs, self._cloud.ingest_queue_url, ingest, rng, habits),
            EventSource(sqs, self._cloud.commit_queue_url, [lane], rng, lane_habits),
        ]
        for source in self._sources:
            ends.enter_context(source)

    def _loses(self) -> bool:
        """Whether this acknowledgement is lost."""
        return not self._weather.calm.is_set() and self._rng.random() < _LOST_ACKNOWLEDGEMENTS

    def _instance(self, handler: Path, *, disturbed: bool = True) -> Instance:
        weather = self._weather if disturbed else None
        instance = Instance(self._stage, handler, self._environment, self._log, self._new_rng(), weather)
        self._instances.append(instance)
        return instance

    def _close_instances(self) -> None:
        for instance in self._instances:
            instance.close()

    def _new_rng(self) -> random.Random:
        return random.Random(self._rng.getrandbits(64))

    def _change(self) -> None:
        rng = self._new_rng()
        while self._bucket.operations < self._operations:
            self._bucket.change()
            if rng.random() < _CHORE_SHARE:
                self._send(rng.choice((Maintain(), Maintain(), Sweep())))
            time.sleep(rng.expovariate(1 / _MEAN_PAUSE_SECONDS))

    def _send(self, chore: Maintain | Sweep) -> None:
        self._cloud.sqs.send_message(
            QueueUrl=self._cloud.commit_queue_url,
            MessageBody=json.dumps(to_body(chore)),
            MessageGroupId=_GROUP,
            MessageDeduplicationId=uuid.uuid4().hex,
        )

    def _wait(self, when: str) -> None:
        sqs, cloud = self._cloud.sqs, self._cloud
        places: dict[str, Callable[[], int]] = {
            "events to deliver": self._delivery.waiting,
            "messages to ingest": partial(messages_in, sqs, cloud.ingest_queue_url),
            "messages to the commit lane": partial(messages_in, sqs, cloud.commit_queue_url),
        }
        if self._second:
            places["batches of the second lane"] = self._second.waiting
        wait_until_idle(when, places, self._sources)
