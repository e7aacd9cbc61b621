"""Work on a thread beside a block of code."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")


@contextmanager
def in_background(work: Callable[[threading.Event], None], name: str) -> Iterator[None]:
    """Run `work` on a thread while the block runs; the event that it gets is set when the block ends."""
    ended = threading.Event()
    thread = threading.Thread(target=work, args=(ended,), name=name)
    try:
        thread.start()  # Ctrl-C may come while it starts, and must not leave it behind
        yield
    finally:
        ended.set()
        if thread.is_alive():
            thread.join()


def both(first: Callable[[], T], second: Callable[[], U]) -> tuple[T, U]:
    """The results of both, run at the same time: on object storage each waits for its answers."""
    later: Future[U] = Future()
    thread = threading.Thread(target=settle, args=(later, second), name="docshelf-second")
    try:
        thread.start()
    except RuntimeError:  # no more threads, or the process is ending: one after the other is as good
        return first(), second()
    try:
        return first(), later.result()
    finally:
        thread.join()


def settle(future: Future[T], work: Callable[[], T]) -> None:
    """Give `future` what `work` returns or raises."""
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001  raised where the result is asked for
        future.set_exception(error)
