"""A folder of the local file system as a source of documents."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from docshelf.errors import DocumentTooLargeError, SourceError, SourceVanishedError, UnreadableFileError
from docshelf.sources import SourceContent, SourceEntry
from docshelf.sources.naming import is_ignored, path_of
from docshelf.sources.tree import NOTHING_THERE, Tree, Walk

_MORE_ATTEMPTS = 6
_QUIET_SECONDS = 0.05
_BLOCK_BYTES = 1 << 20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class FolderSource:
    """Documents are the regular files below a folder; a key is the path from there, spelled as the file system does.

    Passed over are what tools and editors leave behind (`naming`), links that lead out of the folder, and the
    directories in `exclude`, such as the index when it lies in the folder. Devices, pipes and sockets are not opened.
    """

    def __init__(self, root: Path, exclude: Iterable[Path] = ()) -> None:
        self.root = Path(os.path.realpath(root))
        places = (Path(os.path.realpath(path)) for path in exclude)
        self.tree = Tree(self.root, frozenset(place for place in places if not self.root.is_relative_to(place)))
        self._last = Walk()

    @property
    def unreadable(self) -> Sequence[tuple[str, str]]:
        """Folders (ending with `/`) that the last listing of everything could not read, each with a sentence."""
        return tuple(self._last.unreadable)

    def ignored_directories(self) -> tuple[str, ...]:
        """Directories (ending with `/`) that the last listing of everything passed over because of their name."""
        return tuple(self._last.ignored)

    def links_outside(self) -> tuple[str, ...]:
        """Symbolic links that the last listing of everything did not follow, as they lead out of the folder."""
        return tuple(self._last.outside)

    def list(self, prefix: str = "") -> Iterator[SourceEntry]:
        """Every document below `prefix` (empty, or a folder ending with `/`), a folder's files in order.

        Raises:
            SourceError: the folder is missing, is no folder or cannot be read.
        """
        walk = Walk()
        try:
            for key, status in self.tree.files(walk, prefix):
                yield SourceEntry(key, status.st_size, _modified_at(status))
        except OSError as error:
            raise self._unreadable_root(error) from error
        if not prefix:
            self._last = walk

    def stat(self, key: str) -> SourceEntry | None:
        """The document under `key` as it is now, or None when no document is there.

        Raises:
            UnreadableFileError: it cannot be told what is there.
        """
        path = self._path(key)
        if path is None:
            return None
        try:
            status = os.stat(path)  # noqa: PTH116  the path may not be text
        except OSError as error:
            if error.errno in NOTHING_THERE:
                return None
            raise _unreadable(error) from error
        return SourceEntry(key, status.st_size, _modified_at(status)) if stat.S_ISREG(status.st_mode) else None

    def read(self, key: str, max_bytes: int) -> SourceContent:
        """The document's bytes; a file that is being written is read again a few times until it holds still.

        Raises:
            SourceVanishedError: no document is there (any more).
            DocumentTooLargeError: it has more than `max_bytes` bytes; it was not read.
            UnreadableFileError: its bytes cannot be read.
        """
        before, data, after = self._read_once(key, max_bytes)
        for _ in range(_MORE_ATTEMPTS):
            if _moment(before) == _moment(after) and not _is_fresh(after):
                break
            time.sleep(_QUIET_SECONDS)
            before, data, after = self._read_once(key, max_bytes)
        return SourceContent(data, hashlib.sha256(data).hexdigest(), len(data), _modified_at(before))

    def _read_once(self, key: str, max_bytes: int) -> tuple[os.stat_result, bytes, os.stat_result]:
        path = self._path(key)
        if path is None:
            raise _vanished(key)
        try:
            # Without waiting: a pipe that has taken the file's place must not hold us up.
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
            with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123  a descriptor, no path
                before = os.fstat(descriptor)
                if not stat.S_ISREG(before.st_mode) or not self._is_at(path, before):
                    raise _vanished(key)
                data = bytearray()
                while len(data) <= max_bytes and before.st_size <= max_bytes:
                    block = file.read(_BLOCK_BYTES)
                    if not block:
                        return before, bytes(data), os.fstat(descriptor)
                    data += block
        except OSError as error:
            raise _vanished(key) if error.errno in NOTHING_THERE else _unreadable(error) from error
        size = max(before.st_size, len(data))
        raise DocumentTooLargeError(
            f"The file has {size:,} bytes, more than the limit of {max_bytes:,} (setting DOCSHELF_MAX_BYTES)."
        )

    def _path(self, key: str) -> str | None:
        """The path of a key that a document can have, which leads to a place inside the folder."""
        relative = path_of(key)
        if relative is None or is_ignored(key):
            return None
        path = os.path.join(self.root, relative)  # noqa: PTH118  the path may not be text
        return path if self.tree.inside(path) else None

    def _is_at(self, path: str, opened: os.stat_result) -> bool:
        """Whether the file that was opened is still the one inside the folder: a link may have moved meanwhile."""
        return self.tree.inside(path) is not None and os.path.samestat(os.stat(path), opened)  # noqa: PTH116

    def _unreadable_root(self, error: OSError) -> SourceError:
        if isinstance(error, FileNotFoundError):
            return SourceError(f"There is no folder {self.root}.")
        if isinstance(error, NotADirectoryError):
            return SourceError(f"{self.root} is a file, not a folder.")
        return SourceError(f"The folder {self.root} cannot be read: {error.strerror}.")


def _vanished(key: str) -> SourceVanishedError:
    return SourceVanishedError(f"There is no document {key} any more.")


def _unreadable(error: OSError) -> UnreadableFileError:
    return UnreadableFileError(f"The file cannot be read: {error.strerror}.")


def _moment(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns


def _is_fresh(status: os.stat_result) -> bool:
    """Whether the file changed so shortly ago that its writer may be in the middle of it."""
    return 0 <= time.time_ns() - status.st_mtime_ns < _QUIET_SECONDS * 1e9


def _modified_at(status: os.stat_result) -> datetime | None:
    try:
        return _EPOCH + timedelta(microseconds=status.st_mtime_ns // 1_000)
    except OverflowError:
        return None
