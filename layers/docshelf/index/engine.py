"""The two open tables of a generation, and LanceDB's errors turned into ours."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

# LanceDB writes its warnings to the terminal, past Python's logging; it reads this when it is imported.
os.environ.setdefault("LANCEDB_LOG", "error")

import lancedb
from lancedb.table import Table

from docshelf.errors import DocshelfError, IndexCorruptError, IndexUnavailableError
from docshelf.index.identity import IndexIdentity

T = TypeVar("T")

DEFAULT_REMEDY = "delete that directory and index again"

# Lance raises plain RuntimeError, ValueError and OSError: only the text tells one cause from another.
_CANNOT_WRITE = {
    "the disk is full": ("No space left", "os error 28", "StorageFull"),
    "the disk quota is used up": ("os error 122", "Disk quota"),
    "a file would exceed the size that is allowed": ("File too large", "os error 27"),
    "permission is denied": ("Permission denied", "os error 13", "PermissionDenied", "Operation not permitted"),
    "the file system is read-only": ("Read-only file system", "os error 30"),
    "too many files are open": ("Too many open files", "os error 24"),
    "a file is in the way": ("Not a directory", "os error 20", "os error 17", "File exists"),
}
_CONFLICT = ("Too many concurrent writers", "Retryable commit conflict", "Please retry", "Incompatible transaction")
_VANISHED = ("Not found", "NotFound", "No such file")


def is_conflict(error: BaseException) -> bool:
    """Whether `error` says that another writer came first, so that the same commit may pass at the next attempt."""
    return isinstance(error, RuntimeError) and any(text in str(error) for text in _CONFLICT)


def is_vanished(error: BaseException) -> bool:
    """Whether `error` says that a file is gone, as when another process has cleaned up the version in use."""
    return any(text in str(error) for text in _VANISHED)


def translated(error: BaseException, place: Path, remedy: str) -> DocshelfError:
    """The error of ours that says what `error`, raised by LanceDB, means for the index at `place`."""
    text = str(error)
    for cause, marks in _CANNOT_WRITE.items():
        if any(mark in text for mark in marks):
            return IndexUnavailableError(f"The index at {place} cannot be used: {cause}.")
    if is_conflict(error):
        return IndexUnavailableError(f"The index at {place} is being written by another process; try again.")
    return IndexCorruptError(f"The index at {place} is damaged and cannot be read; {remedy}.")


@contextmanager
def engine_errors(place: Path, remedy: str) -> Iterator[None]:
    """Turn what LanceDB raises within the block into errors of ours; hold nothing else in the block."""
    try:
        yield
    except (RuntimeError, ValueError, OSError) as error:
        raise translated(error, place, remedy) from error


def open_table(directory: Path, name: str) -> Table:
    """Open the table `name` of a generation's directory; raises what LanceDB raises."""
    return lancedb.connect(directory).open_table(name)


def see_latest(table: Table) -> None:
    """Move the handle to the latest commit; raises what LanceDB raises."""
    table.checkout_latest()  # type: ignore[no-untyped-call]


class Tables:
    """The open tables of one generation; reading, querying, writing and maintenance build on it."""

    def __init__(self, place: Path, identity: IndexIdentity, documents: Table, chunks: Table, remedy: str) -> None:
        self.identity = identity
        self._place = place
        self._documents = documents
        self._chunks = chunks
        self._remedy = remedy
        self._writing = threading.RLock()
        self._maintaining = threading.Lock()

    @property
    def generation(self) -> str:
        """The name of the generation that is open."""
        return self._place.name

    @property
    def version(self) -> str:
        """Differs after every commit that this handle has seen; costs nothing."""
        return f"{self.generation}.{self._documents.version}.{self._chunks.version}"

    def refresh(self) -> None:
        """See the commits of other processes from now on; call it once per request.

        Raises:
            IndexCorruptError: the tables cannot be read any more.
        """
        self._reading(self._see_latest)

    def _reading(self, read: Callable[[], T]) -> T:
        """The result of `read`, tried once more on the latest version if its files were cleaned up meanwhile."""
        with engine_errors(self._place, self._remedy):
            try:
                return read()
            except RuntimeError as error:
                if not is_vanished(error):
                    raise
            self._see_latest()
            return read()

    def _see_latest(self) -> None:
        see_latest(self._documents)
        see_latest(self._chunks)
