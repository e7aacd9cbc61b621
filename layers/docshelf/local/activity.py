"""What the indexer is doing and has done, counted where every thread may read it."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum


class Change(StrEnum):
    """What became of a file since the last look."""

    ADDED = "added"
    CHANGED = "changed"
    RENAMED = "renamed"
    REMOVED = "removed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The counts at one moment. `seconds` counts since the scan began, `None` before."""

    running: bool
    total: int
    done: int
    bytes_total: int
    bytes_done: int
    chunks: int
    seconds: float
    changes: dict[Change, int]

    @property
    def chunks_per_second(self) -> float:
        """Chunks embedded a second, over the whole scan."""
        return self.chunks / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes at the pace so far, by bytes; None before a twentieth of them is done.

        The first files to be finished are the small ones, beside which large ones are being worked on.
        """
        if self.bytes_done <= 0 or self.seconds <= 0 or self.bytes_done < self.bytes_total / 20:
            return None
        return max(0.0, self.seconds * (self.bytes_total - self.bytes_done) / self.bytes_done)


@dataclass(slots=True)
class Activity:
    """Counts of the running or last scan. All methods may be called from any thread."""

    clock: Callable[[], float] = time.monotonic
    problem: str | None = None
    """The sentence that says why changes are not followed just now; None as long as they are."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _running: bool = False
    _started: float = 0.0
    _ended: float = 0.0
    _total: int = 0
    _done: int = 0
    _bytes_total: int = 0
    _bytes_done: int = 0
    _chunks: int = 0
    _changes: Counter[Change] = field(default_factory=Counter)

    def begin(self, total: int, total_bytes: int) -> None:
        """A scan over `total` files starts."""
        with self._lock:
            self._running, self._started = True, self.clock()
            self._total, self._done, self._bytes_total, self._bytes_done = total, 0, total_bytes, 0
            self._chunks = 0
            self._changes.clear()

    def end(self) -> None:
        """The scan is over."""
        with self._lock:
            self._running, self._ended = False, self.clock()

    def embedded(self, chunks: int) -> None:
        """So many chunks more have their vector."""
        with self._lock:
            self._chunks += chunks

    def finished(self, change: Change, size: int = 0, *, counts: bool = True) -> None:
        """One file is dealt with; `counts` is false where it was not part of the scan's total."""
        with self._lock:
            self._changes[change] += 1
            if counts:
                self._done += 1
                self._bytes_done += size

    def snapshot(self) -> Snapshot:
        """All counts at this moment."""
        with self._lock:
            until = self.clock() if self._running else self._ended
            return Snapshot(
                self._running,
                self._total,
                self._done,
                self._bytes_total,
                self._bytes_done,
                self._chunks,
                until - self._started,
                dict(self._changes),
            )
