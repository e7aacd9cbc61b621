"""Counting what the indexer does."""

from __future__ import annotations

import threading

from docshelf.local.activity import Activity, Change


class Clock:
    """A clock that the test moves."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_before_any_scan_everything_is_zero() -> None:
    counts = Activity(Clock()).snapshot()
    assert not counts.running
    assert (counts.total, counts.done, counts.chunks, counts.seconds, counts.changes) == (0, 0, 0, 0.0, {})
    assert counts.chunks_per_second == 0.0
    assert counts.seconds_left is None


def test_a_running_scan_tells_its_pace_and_what_is_left_by_bytes() -> None:
    clock = Clock()
    activity = Activity(clock)
    activity.begin(4, 1_000)
    assert activity.snapshot().seconds_left is None
    clock.now += 5
    activity.finished(Change.ADDED, 49)
    assert activity.snapshot().seconds_left is None
    clock.now += 5
    activity.embedded(30)
    activity.finished(Change.ADDED, 151)
    counts = activity.snapshot()
    assert counts.running
    assert (counts.done, counts.total, counts.bytes_done, counts.bytes_total) == (2, 4, 200, 1_000)
    assert counts.seconds == 10
    assert counts.chunks_per_second == 3.0
    assert counts.seconds_left == 40.0


def test_files_that_grew_never_leave_less_than_nothing() -> None:
    clock = Clock()
    activity = Activity(clock)
    activity.begin(1, 100)
    clock.now += 1
    activity.finished(Change.ADDED, 500)
    assert activity.snapshot().seconds_left == 0.0


def test_the_clock_stands_still_after_the_end() -> None:
    clock = Clock()
    activity = Activity(clock)
    activity.begin(1, 1)
    clock.now += 5
    activity.end()
    clock.now += 100
    counts = activity.snapshot()
    assert not counts.running
    assert counts.seconds == 5


def test_changes_are_counted_by_kind_and_followed_files_are_no_part_of_the_total() -> None:
    activity = Activity(Clock())
    activity.begin(2, 10)
    activity.finished(Change.ADDED, 5)
    activity.finished(Change.UNCHANGED, 5)
    activity.finished(Change.CHANGED, 7, counts=False)
    counts = activity.snapshot()
    assert counts.changes == {Change.ADDED: 1, Change.UNCHANGED: 1, Change.CHANGED: 1}
    assert (counts.done, counts.bytes_done) == (2, 10)


def test_the_next_scan_counts_from_zero() -> None:
    activity = Activity(Clock())
    activity.begin(2, 10)
    activity.finished(Change.ADDED, 5)
    activity.embedded(3)
    activity.end()
    activity.begin(7, 70)
    counts = activity.snapshot()
    assert (counts.total, counts.done, counts.bytes_done, counts.chunks, counts.changes) == (7, 0, 0, 0, {})


def test_a_snapshot_does_not_change_afterwards() -> None:
    activity = Activity(Clock())
    activity.begin(1, 1)
    before = activity.snapshot()
    activity.finished(Change.ADDED)
    assert before.changes == {}
    assert before.done == 0


def test_several_threads_lose_no_count() -> None:
    activity = Activity(Clock())
    activity.begin(4_000, 4_000)

    def count() -> None:
        for _ in range(1_000):
            activity.finished(Change.ADDED, 1)
            activity.embedded(2)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = activity.snapshot()
    assert (counts.done, counts.bytes_done, counts.chunks) == (4_000, 4_000, 8_000)
    assert counts.changes == {Change.ADDED: 4_000}
