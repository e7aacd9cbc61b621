"""Work on a thread beside a block of code."""

from __future__ import annotations

import threading

import pytest

from docshelf.background import in_background

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
