"""Work on a thread beside a block of code."""

from __future__ import annotations

import threading

import pytest

from docshelf.background import both, in_background

SECONDS = 30


def test_the_work_runs_beside_the_block_and_ends_with_it() -> None:
    began, ended = threading.Event(), threading.Event()

    def work(stop: threading.Event) -> None:
        began.set()
        if stop.wait(SECONDS):
            ended.set()

    with in_background(work, "work"):
        assert began.wait(SECONDS)
        assert not ended.is_set()
    assert ended.is_set()


def test_the_work_ends_when_the_block_is_interrupted() -> None:
    ended = threading.Event()

    def work(stop: threading.Event) -> None:
        if stop.wait(SECONDS):
            ended.set()

    with pytest.raises(KeyboardInterrupt), in_background(work, "work"):
        raise KeyboardInterrupt
    assert ended.wait(SECONDS)


def test_both_run_at_the_same_time_and_the_first_error_is_raised() -> None:
    meet = threading.Barrier(2, timeout=10)
    assert both(meet.wait, meet.wait) in {(0, 1), (1, 0)}
    with pytest.raises(ZeroDivisionError):
        both(lambda: 1, lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        both(lambda: 1 / 0, lambda: int("x"))


def test_without_a_thread_both_run_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoThread(threading.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading, "Thread", NoThread)
    assert both(lambda: 1, lambda: 2) == (1, 2)
