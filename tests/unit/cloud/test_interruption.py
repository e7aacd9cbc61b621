"""Ctrl-C that is not lost."""

from __future__ import annotations

import contextlib
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from docshelf.cloud.interruption import Interruption


def test_an_interrupt_that_was_swallowed_is_raised_at_the_next_pause() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interruption() as interruption:
        interruption.pause(0)
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            interruption.pause(3_600)
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_is_raised_at_once_where_nothing_swallows_it() -> None:
    with Interruption(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_in_another_thread_it_only_sleeps() -> None:
    def paused() -> bool:
        with Interruption() as interruption:
            interruption.pause(0)
        return True

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(paused).result()
