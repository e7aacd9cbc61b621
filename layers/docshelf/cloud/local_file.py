"""Reading a file that may change, or be replaced, at any moment."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from docshelf.errors import UnreadableFileError


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The regular file at `path`, open for reading.

    Raises:
        UnreadableFileError: it cannot be read, or what is there is no regular file.
    """
    try:
        # Without waiting: a pipe that has taken the file's place must not hold us up.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(descriptor, "rb") as file:  # noqa: PTH123  a descriptor, no path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UnreadableFileError("It is no regular file any more.")
            yield file
    except OSError as error:
        raise UnreadableFileError(f"The file cannot be read: {error.strerror}.") from error


def same_moment(before: os.stat_result, after: os.stat_result) -> bool:
    """Whether a file was not written to between the two looks."""
    return (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
