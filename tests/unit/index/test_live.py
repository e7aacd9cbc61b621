"""The index in use is followed when another takes its place."""

from __future__ import annotations

import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from docshelf.errors import IndexCorruptError, IndexMissingError
from docshelf.index.filters import EVERYTHING
from docshelf.index.identity import IndexIdentity
from docshelf.index.live import LiveIndex
from docshelf.index.pointer import read_pointer, remove_generation, write_pointer
from docshelf.index.store import Index
from tests.unit.index.made_up import make


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def sources(index: Index) -> list[str]:
    return [record.source for record in index.documents(EVERYTHING)]


def switch(root: Path, generation: str, building: str | None = None) -> None:
    write_pointer(root, replace(read_pointer(root, "rebuild"), generation=generation, building=building))


def test_commits_of_others_are_seen_at_each_call(index: Index, root: Path) -> None:
    live = LiveIndex(root)
    handed_out = live.current()
    index.replace([make("a.md", ["x"])])
    assert sources(live.current()) == ["a.md"]
    assert live.current() is handed_out


def test_an_index_that_is_made_later_is_found_at_once(root: Path, identity: IndexIdentity) -> None:
    live = LiveIndex(root, pointer_seconds=3_600)
    for _ in range(2):
        with pytest.raises(IndexMissingError):
            live.current()
    Index.create(root, identity)
    assert live.current().generation == "g0001"


def test_a_switch_is_seen_when_the_pointer_is_read_again(index: Index, root: Path, identity: IndexIdentity) -> None:
    clock = Clock()
    live = LiveIndex(str(root), pointer_seconds=5, clock=clock)
    old = live.current()
    Index.create(root, identity).replace([make("new.md", ["x"])])
    clock.now += 4.9
    assert live.current() is old
    clock.now += 0.1
    assert sources(live.current()) == ["new.md"]
    index.replace([make("old.md", ["x"])])
    old.refresh()
    assert sources(old) == ["old.md"]


def test_a_pointer_that_was_just_read_is_read_again_where_that_is_asked_for(
    index: Index, root: Path, identity: IndexIdentity
) -> None:
    live = LiveIndex(root, pointer_seconds=3_600)
    live.look_again()
    old = live.current()
    live.look_again()
    assert live.current() is old
    Index.create(root, identity)
    assert live.current() is old
    live.look_again()
    assert live.current().generation == "g0002"


def test_a_generation_that_is_gone_makes_the_pointer_be_read_at_once(
    index: Index, root: Path, identity: IndexIdentity
) -> None:
    live = LiveIndex(root, pointer_seconds=3_600)
    live.current()
    Index.create(root, identity)
    remove_generation(root, "g0001", "rebuild")
    assert live.current().generation == "g0002"
    assert live.current().generation == "g0002"


def test_an_index_that_is_gone_for_good_is_reported_each_time(index: Index, root: Path) -> None:
    live = LiveIndex(root, pointer_seconds=3_600, remedy="make it anew")
    live.current()
    index._place.remove()
    for _ in range(2):
        with pytest.raises(IndexCorruptError, match="make it anew"):
            live.current()
    (root / "current.json").unlink()
    with pytest.raises(IndexMissingError):
        live.current()


def test_both_indexes_are_writable_while_one_is_built(index: Index, root: Path, identity: IndexIdentity) -> None:
    live = LiveIndex(root, pointer_seconds=0)
    assert [each.generation for each in live.writable()] == ["g0001"]
    new = Index.create(root, identity, activate=False)
    switch(root, "g0001", new.generation)
    first, second = live.writable()
    assert (first.generation, second.generation) == ("g0001", "g0002")
    assert live.current() is first
    second.replace([make("a.md", ["x"])])
    switch(root, "g0002")
    assert live.writable() == [second]
    assert sources(live.current()) == ["a.md"]
    with pytest.raises(ValueError, match="in use"):
        remove_generation(root, "g0002", "rebuild")


def test_a_damaged_generation_that_is_built_does_not_hold_up_the_one_in_use(
    index: Index, root: Path, identity: IndexIdentity
) -> None:
    built = Index.create(root, identity, activate=False)
    switch(root, index.generation, built.generation)
    shutil.rmtree(root / built.generation / "documents.lance")
    assert [one.generation for one in LiveIndex(root).writable()] == [index.generation]


def test_a_generation_that_is_built_is_not_removed(index: Index, root: Path, identity: IndexIdentity) -> None:
    switch(root, "g0001", Index.create(root, identity, activate=False).generation)
    with pytest.raises(ValueError, match="in use"):
        remove_generation(root, "g0002", "rebuild")


def test_threads_share_one_index_across_switches(index: Index, root: Path, identity: IndexIdentity) -> None:
    live = LiveIndex(root, pointer_seconds=0)
    index.replace([make("a.md", ["x"])])
    seen: list[set[str]] = []
    stop = threading.Event()

    def follow() -> None:
        generations: set[str] = set()
        while not stop.is_set():
            current = live.current()
            generations.add(current.generation)
            assert sources(current) == ["a.md"]
        generations.add(live.current().generation)
        seen.append(generations)

    threads = [threading.Thread(target=follow) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        new = Index.create(root, identity, activate=False)
        new.replace([make("a.md", ["x"])])
        switch(root, new.generation)
    stop.set()
    for thread in threads:
        thread.join()
    assert len(seen) == 3
    assert all("g0004" in generations for generations in seen)
