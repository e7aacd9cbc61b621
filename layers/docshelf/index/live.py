"""The index in use, followed across a switch to another generation."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from pathlib import Path

from docshelf.background import both
from docshelf.errors import IndexCorruptError, IndexMissingError
from docshelf.index.engine import DEFAULT_REMEDY
from docshelf.index.pointer import Pointer, read_pointer
from docshelf.index.store import Index

POINTER_SECONDS = 5.0


class LiveIndex:
    """Hands out the index in use. Any number of threads may use it; one of them opens, the others wait for it."""

    def __init__(
        self,
        place: Path | str,
        *,
        remedy: str = DEFAULT_REMEDY,
        pointer_seconds: float = POINTER_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`pointer_seconds` is how long a pointer that was read is taken for the one in use."""
        self._place = place
        self._remedy = remedy
        self._pointer_seconds = pointer_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._pointer: Pointer | None = None
        self._read_at = 0.0
        self._open: dict[str, Index] = {}

    def current(self) -> Index:
        """The index in use with all commits made so far; it stays usable when another takes its place.

        Raises:
            IndexMissingError: there is no index yet; it is looked for again at the next call.
            IndexCorruptError, IndexMismatchError, IndexUnavailableError: it cannot be read.
            StoreUnavailableError, StoreDeniedError: the bucket cannot be read.
        """
        index = self._open_index()
        if index is not None:
            # Most often the pointer says what it said before: both questions are asked at the same time.
            (pointer, _), refreshed = both(self._latest_pointer, lambda: _try_refresh(index))
            if refreshed and pointer.generation == index.generation:
                return index
        return self._followed(lambda pointer: [pointer.generation])[0]

    def writable(self) -> list[Index]:
        """The index in use and, while a reindex is under way, the one that it fills; each with all commits made so far.

        One that cannot be read is not filled, and so never switched to: the one in use goes on without it.

        Raises:
            DocshelfError: as `current`.
        """
        try:
            return self._followed(lambda pointer: [name for name in (pointer.generation, pointer.building) if name])
        except (IndexCorruptError, IndexMissingError):
            return [self.current()]

    def look_again(self) -> None:
        """Read the pointer at the next call, however lately that was done; the open index stays open."""
        with self._lock:
            self._read_at = -math.inf

    def _followed(self, wanted: Callable[[Pointer], list[str]]) -> list[Index]:
        pointer, fresh = self._latest_pointer()
        try:
            return [self._refreshed(name) for name in wanted(pointer)]
        except (IndexCorruptError, IndexMissingError):
            # The generation may have been replaced and removed since its pointer was read.
            latest = self._latest_pointer(at_once=True)[0]
            if fresh and latest == pointer:
                raise
            return [self._refreshed(name) for name in wanted(latest)]

    def _open_index(self) -> Index | None:
        with self._lock:
            return self._open.get(self._pointer.generation) if self._pointer else None

    def _latest_pointer(self, *, at_once: bool = False) -> tuple[Pointer, bool]:
        """The pointer, and whether it was read just now."""
        with self._lock:
            if not at_once and self._pointer and self._clock() - self._read_at < self._pointer_seconds:
                return self._pointer, False
            self._pointer = None  # where reading fails, the next call reads again
            self._pointer = read_pointer(self._place, self._remedy)
            self._read_at = self._clock()
            in_use = (self._pointer.generation, self._pointer.building)
            self._open = {name: index for name, index in self._open.items() if name in in_use}
            return self._pointer, True

    def _refreshed(self, generation: str) -> Index:
        with self._lock:
            index = self._open.get(generation)
            if index is None:
                index = Index.open(self._place, generation, remedy=self._remedy)
                self._open[generation] = index
                return index
        index.refresh()
        return index


def _try_refresh(index: Index) -> bool:
    try:
        index.refresh()
    except (IndexCorruptError, IndexMissingError):
        return False
    return True
