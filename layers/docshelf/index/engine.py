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
from lancedb import Session
from lancedb.db import DBConnection
from lancedb.table import Table

from docshelf.background import both
from docshelf.errors import DocshelfError, IndexCorruptError, IndexUnavailableError
from docshelf.index.identity import IndexIdentity
from docshelf.index.location import Location, is_address
from docshelf.index.schema import CHUNKS, DOCUMENTS

T = TypeVar("T")

_INDEX_CACHE_BYTES = 1024 * 1024 * 1024
_METADATA_CACHE_BYTES = 256 * 1024 * 1024
"""LanceDB's own bounds, six times as much, are above the memory of a function."""

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
# Of the first cause that fits; the last stands for whatever else goes wrong between here and the bucket.
_CANNOT_REACH = {
    "the bucket refuses access: s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket are needed": (
        "lacked the necessary privileges",
        "403 Forbidden",
        "status: 403",
    ),
    "there is no such bucket": ("NoSuchBucket",),
    "nobody is logged in, or the login has run out": ("AWS credentials", "400 Bad Request", "status: 400"),
    "the bucket asks to slow down; try again": ("503 Service Unavailable", "status: 503", "SlowDown"),
    "the bucket does not answer; try again": (
        "Generic S3 error",
        'store: "S3"',
        "non-2xx status code",
        "HTTP error",
        "error sending request",
        "RetryError",
        "timed out",
    ),
}
# The bucket has answered: a file is shorter than it should be.
_CUT_SHORT = ("416 Range Not Satisfiable", "status: 416")
_CONFLICT = ("Too many concurrent writers", "Retryable commit conflict", "Please retry", "Incompatible transaction")
_STEADY_ATTEMPTS = 8
_VANISHED = ("Not found", "NotFound", "No such file")


def is_conflict(error: BaseException) -> bool:
    """Whether `error` says that another writer came first, so that the same commit may pass at the next attempt."""
    return isinstance(error, RuntimeError) and any(text in str(error) for text in _CONFLICT)


def is_vanished(error: BaseException) -> bool:
    """Whether `error` says that a file is gone, as when another process has cleaned up the version in use."""
    return any(text in str(error) for text in _VANISHED)


def translated(error: BaseException, place: Location | Path, remedy: str) -> DocshelfError:
    """The error of ours that says what `error`, raised by LanceDB, means for the index at `place`."""
    text = str(error)
    for cause, marks in _CANNOT_WRITE.items():
        if any(mark in text for mark in marks):
            return IndexUnavailableError(f"The index at {place} cannot be used: {cause}.")
    if is_conflict(error):
        return IndexUnavailableError(f"The index at {place} is being written by another process; try again.")
    if is_address(str(place)) and not any(mark in text for mark in _CUT_SHORT):
        for cause, marks in _CANNOT_REACH.items():
            if any(mark in text for mark in marks):
                return IndexUnavailableError(f"The index at {place} cannot be used: {cause}.")
    return IndexCorruptError(f"The index at {place} is damaged and cannot be read; {remedy}.")


@contextmanager
def engine_errors(place: Location | Path, remedy: str) -> Iterator[None]:
    """Turn what LanceDB raises within the block into errors of ours; hold nothing else in the block."""
    try:
        yield
    except (RuntimeError, ValueError, OSError) as error:
        raise translated(error, place, remedy) from error


def connect(place: Location) -> DBConnection:
    """The database of a generation, with caches of its own; raises what LanceDB raises."""
    session = Session(index_cache_size_bytes=_INDEX_CACHE_BYTES, metadata_cache_size_bytes=_METADATA_CACHE_BYTES)
    return lancedb.connect(place.uri, storage_options=place.storage_options(), session=session)


def open_tables(place: Location) -> tuple[Table, Table]:
    """Open `documents` and `chunks` of the generation at `place`; raises what LanceDB raises."""
    database = connect(place)
    return both(lambda: database.open_table(DOCUMENTS), lambda: database.open_table(CHUNKS))


def see_latest(table: Table) -> None:
    """Move the handle to the latest commit; raises what LanceDB raises."""
    table.checkout_latest()  # type: ignore[no-untyped-call]


class Tables:
    """The open tables of one generation; reading, querying, writing and maintenance build on it."""

    def __init__(self, place: Location, identity: IndexIdentity, documents: Table, chunks: Table, remedy: str) -> None:
        self.identity = identity
        self._place = place
        self._documents = documents
        self._chunks = chunks
        self._remedy = remedy
        self._exchanging = threading.Lock()
        self._writing = threading.RLock()
        self._maintaining = threading.Lock()
        self._warming = threading.Lock()
        self._warmed: dict[str, str | None] = {}

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

    def steady(self, read: Callable[[], T]) -> T:
        """The result of `read`, made from one version of the tables: row ids mean nothing in another.

        The handle may be moved meanwhile, by another thread or because the files of its version are gone; then `read`
        is called again.

        Raises:
            IndexUnavailableError: the index changed during every attempt.
            IndexCorruptError: the tables cannot be read.
        """
        for _ in range(_STEADY_ATTEMPTS):
            before = self.version
            try:
                result = read()
            except IndexCorruptError:  # rows that are gone look like this
                if self.version == before:
                    raise
                continue
            if self.version == before:
                return result
        raise IndexUnavailableError(f"The index at {self._place} changes faster than it can be read; try again.")

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
        documents, chunks = self._documents, self._chunks
        both(lambda: see_latest(documents), lambda: see_latest(chunks))
        with self._exchanging:
            exchanged = documents is not self._documents or chunks is not self._chunks
        if exchanged:  # for handles that may have been opened before the latest commit
            self._see_latest()
