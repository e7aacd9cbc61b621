"""What an upload has done so far, counted where every thread may write."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from docshelf.cloud.progress import Step


class Outcome(StrEnum):
    """What became of a file."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(slots=True)
class Tally:
    """Counts, and each failure with its sentence. All methods may be called from any thread."""

    clock: Callable[[], float] = time.monotonic
    total: int = 0
    deleted: int = 0
    failures_in_a_row: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    bytes_sent: int = 0
    _started: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._started = self.clock()

    def sent(self, number: int) -> None:
        """More bytes were sent."""
        with self._lock:
            self.bytes_sent += number

    def finished(self, outcome: Outcome) -> None:
        """A file is done, and did not fail."""
        with self._lock:
            self.outcomes[outcome] += 1
            self.failures_in_a_row = 0

    def failed(self, key: str, sentence: str) -> None:
        """A file cannot be uploaded, or a part of the folder not be looked at."""
        with self._lock:
            self.outcomes[Outcome.FAILED] += 1
            self.failures_in_a_row += 1
            self.failures.append((key, sentence))

    @property
    def seconds(self) -> float:
        """Since the upload began."""
        return self.clock() - self._started

    def step(self) -> Step:
        """How far it is, for a person."""
        with self._lock:
            return Step(sum(self.outcomes.values()), self.total, f"{self.bytes_sent / 1e6:,.1f} MB sent")
