"""A rebuild is followed to its end, through losses and faults, and not for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import pytest

from docshelf.aws.objects import ObjectStore
from docshelf.aws.queues import Queue
from docshelf.cloud.rebuild import abandon, begin
from docshelf.cloud.reindex import Follower, StalledError, Surroundings, Waiting
from docshelf.errors import PreconditionFailedError, StoreDeniedError, StoreUnavailableError
from docshelf.index.identity import IndexIdentity
from docshelf.index.pointer import read_pointer
from docshelf.index.store import Index
from docshelf.sources import SourceEntry
from docshelf.sources.bucket import BucketSource
from tests.support.cloud import Cloud
from tests.unit.cloud.made_up import LIMITS, follow


@dataclass
class Clock:
    """Time that passes while the follower pauses; `events` happen in the pauses, one in each."""

    now: float = 0.0
    pauses: list[float] = field(default_factory=list)
    events: list[Callable[[], object]] = field(default_factory=list)

    def pause(self, seconds: float) -> None:
        self.now += seconds
        self.pauses.append(seconds)
        if self.events:
            self.events.pop(0)()

    def waiting(self) -> Waiting:
        return Waiting(10.0, 100.0, lambda: self.now, self.pause)


@dataclass
class Scene:
    """A bucket of three documents, an index that has them all, and a rebuild."""

    cloud: Cloud
    source: BucketSource
    index: Index
    identity: IndexIdentity
    clock: Clock = field(default_factory=Clock)

    def follower(self, source: BucketSource | None = None, dead_letters: Queue | None = None) -> Follower:
        rebuild = begin(self.cloud.index, lambda: self.identity, None)
        queue = Queue(self.cloud.ingest_queue_url)
        return Follower(rebuild, Surroundings(source or self.source, queue, dead_letters, LIMITS), self.clock.waiting())

    def work(self) -> None:
        """What the functions would do."""
        self.drop()
        pointer = read_pointer(self.cloud.index, "")
        follow(self.source, *(Index.open(self.cloud.index, name) for name in pointer_names(pointer.building)))

    def drop(self) -> None:
        """Lose every message."""
        queue = Queue(self.cloud.ingest_queue_url)
        while messages := queue.receive():
            queue.delete([message.receipt for message in messages])

    def in_use(self) -> str:
        return read_pointer(self.cloud.index, "").generation


def pointer_names(building: str | None) -> list[str]:
    return [building] if building else []


@pytest.fixture
def scene(cloud: Cloud, source: BucketSource, index: Index, identity: IndexIdentity) -> Scene:
    for key in ("a.md", "b.md", "c.md"):
        cloud.put(key, key)
    follow(source, index)
    return Scene(cloud, source, index, replace(identity, model="new-model"))


def test_the_switch_comes_when_the_new_generation_agrees_and_not_before(scene: Scene) -> None:
    scene.clock.events = [lambda: None, scene.work]
    follower = scene.follower()
    assert follower.step().total == 0
    assert follower.queue() == 3
    found = follower.finish()
    assert scene.clock.pauses == [10.0, 10.0]
    assert (found.missing, found.totals.agreeing) == (0, 3)
    assert scene.in_use() == "g0002"
    assert Index.open(scene.cloud.index).identity.model == "new-model"
    assert (follower.step().done, follower.step().total) == (3, 3)
    assert follower.step().text == "0 messages in the ingest queue"


def test_run_again_it_queues_only_what_is_not_on_its_way(scene: Scene) -> None:
    assert scene.follower().queue() == 3
    assert scene.follower().queue() is None
    scene.drop()
    assert scene.follower().queue() == 3
    scene.work()
    assert scene.follower().queue() == 0
    scene.follower().finish()
    assert scene.in_use() == "g0002"


def test_what_was_lost_is_queued_once_more(scene: Scene) -> None:
    queue = Queue(scene.cloud.ingest_queue_url)
    sizes: list[int] = []

    def note() -> None:
        sizes.append(sum(queue.waiting()))
        if sizes[-1] == 3:
            scene.work()

    follower = scene.follower()
    follower.queue()
    scene.drop()
    scene.clock.events = [note] * 20
    follower.finish()
    assert sizes == [0, 0, 0, 0, 0, 3]


def test_one_that_does_not_move_ends_with_what_is_missing_and_where_to_look(scene: Scene) -> None:
    follower = scene.follower(dead_letters=Queue(scene.cloud.dead_letter_queue_url))
    follower.queue()
    with pytest.raises(StalledError) as caught:
        follower.finish()
    assert sum(scene.clock.pauses) == 100.0
    for part in ("3 documents of 3 differ, the first of them a.md", "3 messages in", "0 messages in", "new-model"):
        assert part in caught.value.sentence
    assert scene.in_use() == "g0001"
    with pytest.raises(StalledError, match="the dead letter queue"):
        scene.follower().finish()


class Failing(BucketSource):
    """A bucket whose listings fail as `faults` say, one after the other."""

    def __init__(self, cloud: Cloud, *faults: Exception | None) -> None:
        super().__init__(ObjectStore(cloud.bucket))
        self.faults = list(faults)

    def list(self, prefix: str = "", after: str = "") -> Iterator[SourceEntry]:
        fault = self.faults.pop(0) if self.faults else None
        if fault:
            raise fault
        return super().list(prefix, after)


def test_faults_that_may_pass_are_waited_for(scene: Scene) -> None:
    busy = StoreUnavailableError("busy")
    follower = scene.follower(Failing(scene.cloud, None, busy, busy))
    follower.queue()
    scene.work()
    follower.finish()
    assert scene.in_use() == "g0002"
    assert scene.clock.pauses == [10.0, 10.0]


def test_faults_that_last_or_need_a_person_end_it(scene: Scene) -> None:
    with pytest.raises(StoreUnavailableError, match="busy"):
        scene.follower(Failing(scene.cloud, *[StoreUnavailableError("busy")] * 20)).finish()
    with pytest.raises(StoreDeniedError):
        scene.follower(Failing(scene.cloud, StoreDeniedError("denied"))).finish()
    assert scene.in_use() == "g0001"


def test_one_that_is_given_up_meanwhile_switches_nothing(scene: Scene) -> None:
    follower = scene.follower()
    follower.queue()

    def give_up() -> None:
        scene.work()
        abandon(scene.cloud.index)

    scene.clock.events = [give_up]
    with pytest.raises(PreconditionFailedError, match="given up"):
        follower.finish()
    assert scene.in_use() == "g0001"


def test_an_index_in_use_that_is_damaged_is_replaced_all_the_same(scene: Scene) -> None:
    store = ObjectStore.from_uri(scene.cloud.index)
    for entry in list(store.list("g0001/")):
        store.put(entry.key, b"damaged")
    follower = scene.follower()
    follower.queue()
    scene.work()
    follower.finish()
    assert scene.in_use() == "g0002"


def test_one_in_place_of_a_damaged_pointer_is_filled_and_not_switched(scene: Scene) -> None:
    ObjectStore.from_uri(scene.cloud.index).put("current.json", b"{")
    follower = scene.follower()
    assert scene.in_use() == "g0002"
    assert follower.queue() == 3
    scene.clock.events = [lambda: follow(scene.source, Index.open(scene.cloud.index))]
    assert follower.finish().totals.agreeing == 3
    assert scene.in_use() == "g0002"
