"""The steps of a rebuild, each alone and interrupted."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from docshelf.aws.objects import ObjectStore
from docshelf.aws.queues import Queue
from docshelf.cloud.rebuild import (
    READERS_SECONDS,
    abandon,
    begin,
    model_in_use,
    queue_differences,
    remove_old,
    switch,
    unused_generations,
)
from docshelf.errors import (
    IndexMismatchError,
    IndexMissingError,
    IndexUnavailableError,
    PreconditionFailedError,
)
from docshelf.index.identity import IndexIdentity
from docshelf.index.pointer import generations, read_pointer, write_pointer
from docshelf.index.store import Index
from docshelf.sources.bucket import BucketSource
from tests.support.cloud import Cloud
from tests.unit.cloud.made_up import LIMITS, follow, stored

MUCH_LATER = datetime.now(UTC) + timedelta(days=1, seconds=READERS_SECONDS)


def queued(cloud: Cloud) -> list[str]:
    """The keys that wait in the ingest queue, which is empty afterwards."""
    queue, keys = Queue(cloud.ingest_queue_url), []
    while messages := queue.receive():
        keys += [json.loads(message.body)["key"] for message in messages]
        queue.delete([message.receipt for message in messages])
    return sorted(keys)


def never() -> IndexIdentity:
    raise AssertionError("the model is not needed")


def test_a_rebuild_is_begun_once_and_then_gone_on_with(cloud: Cloud, index: Index, identity: IndexIdentity) -> None:
    other = replace(identity, model="other-model")
    first = begin(cloud.index, lambda: other, "other-model")
    assert (first.resumed, first.index.generation, first.index.identity.model) == (False, "g0002", "other-model")
    pointer = read_pointer(cloud.index, "")
    assert (pointer.generation, pointer.building) == ("g0001", "g0002")
    again = begin(cloud.index, never, None)
    assert (again.resumed, again.index.generation) == (True, "g0002")
    assert begin(cloud.index, lambda: other, "other-model").resumed
    with pytest.raises(IndexMismatchError, match=r"g0002 is being built with other-model.*--abandon"):
        begin(cloud.index, lambda: identity, "small-model")
    assert generations(cloud.index) == ["g0001", "g0002"]


def test_of_two_that_begin_at_once_one_leaves_nothing_behind(
    cloud: Cloud, index: Index, identity: IndexIdentity
) -> None:
    def meanwhile() -> IndexIdentity:
        begin(cloud.index, lambda: identity, None)
        return identity

    with pytest.raises(PreconditionFailedError):
        begin(cloud.index, meanwhile, None)
    pointer = read_pointer(cloud.index, "")
    assert generations(cloud.index) == [pointer.generation, pointer.building]


def test_there_must_be_an_index(cloud: Cloud) -> None:
    with pytest.raises(IndexMissingError):
        begin(cloud.index, never, None)
    assert list(ObjectStore.from_uri(cloud.index).list()) == []


def test_a_damaged_pointer_is_replaced_at_once(cloud: Cloud, index: Index, identity: IndexIdentity) -> None:
    ObjectStore.from_uri(cloud.index).put("current.json", b'{"form')
    assert model_in_use(cloud.index) is None
    made = begin(cloud.index, lambda: identity, None)
    assert (made.beside, made.index.generation) == (False, "g0002")
    assert read_pointer(cloud.index, "").generation == "g0002"
    assert model_in_use(cloud.index) == identity.model


def test_only_what_differs_is_queued(cloud: Cloud, index: Index, identity: IndexIdentity, source: BucketSource) -> None:
    for key in ("a.md", "b c+%.md", "é.md"):
        cloud.put(key, key)
    follow(source, index)
    rebuild, queue = begin(cloud.index, lambda: identity, None), Queue(cloud.ingest_queue_url)
    assert queue_differences(rebuild, source, queue, LIMITS) == 3
    assert queued(cloud) == ["a.md", "b c+%.md", "é.md"]
    Index.open(cloud.index, "g0002").replace([stored(source, "a.md"), stored(source, "é.md")])
    cloud.put("é.md", "changed")
    assert queue_differences(rebuild, source, queue, LIMITS) == 2
    assert queued(cloud) == ["b c+%.md", "é.md"]


def test_a_switch_is_made_once_and_only_if_the_rebuild_is_still_under_way(
    cloud: Cloud, index: Index, identity: IndexIdentity
) -> None:
    rebuild = begin(cloud.index, lambda: identity, None)
    switch(rebuild)
    pointer = read_pointer(cloud.index, "")
    assert (pointer.generation, pointer.building) == ("g0002", None)
    switch(rebuild)
    assert read_pointer(cloud.index, "") == pointer
    given_up = begin(cloud.index, lambda: identity, None)
    assert abandon(cloud.index) == "g0003"
    assert abandon(cloud.index) is None
    with pytest.raises(PreconditionFailedError, match="nothing was switched"):
        switch(given_up)
    assert read_pointer(cloud.index, "").generation == "g0002"


def test_old_generations_go_when_nobody_can_be_using_them_and_only_these(
    cloud: Cloud, index: Index, identity: IndexIdentity
) -> None:
    assert list(remove_old(cloud.index)) == []
    switch(begin(cloud.index, lambda: identity, None))
    assert begin(cloud.index, lambda: identity, None).index.generation == "g0003"
    assert unused_generations(cloud.index) == ["g0001"]
    with pytest.raises(IndexUnavailableError, match=r"g0001 may still be read or written: remove it after \d\d:"):
        list(remove_old(cloud.index))
    assert list(remove_old(cloud.index, MUCH_LATER)) == ["g0001"]
    assert generations(cloud.index) == ["g0002", "g0003"]
    write_pointer(cloud.index, replace(read_pointer(cloud.index, ""), building=None))
    assert list(remove_old(cloud.index, MUCH_LATER)) == ["g0003"]
    assert Index.open(cloud.index).generation == "g0002"
