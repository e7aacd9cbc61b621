"""One process writes an index at a time; readers need no lock."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docshelf.errors import IndexLockedError, IndexUnavailableError

_NAME = "writer.lock"


@contextmanager
def writer_lock(root: Path) -> Iterator[None]:
    """Be the only writer of the index at `root` within the block; the system frees the lock when a process dies.

    Raises:
        IndexLockedError: another process holds it; the sentence has its number.
        IndexUnavailableError: the directory cannot be written.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(root / _NAME, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise IndexUnavailableError(f"The index at {root} cannot be written: {error.strerror}.") from error
    try:
        if not _try_lock(descriptor):
            holder = os.read(descriptor, 20).decode("ascii", "replace").strip("\0 \n")
            raise IndexLockedError(
                f"Another process{f' (number {holder})' if holder else ''} is writing the index at {root}; "
                "stop it, or choose another index directory."
            )
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        os.close(descriptor)


if sys.platform == "win32":  # pragma: no cover  tests run where this is not
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            # A byte far behind the text, because a locked byte cannot be read by others there.
            os.lseek(descriptor, 1_000, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            os.lseek(descriptor, 0, os.SEEK_SET)
        except OSError:
            os.lseek(descriptor, 0, os.SEEK_SET)
            return False
        return True
else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
