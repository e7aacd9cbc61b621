"""Work on a thread beside a block of code."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


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
