"""The whole bucket against the index: which keys must be looked at again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from docshelf.content_versions import holds_content
from docshelf.errors import SourceError
from docshelf.index.records import SourceVersion
from docshelf.settings import Limits
from docshelf.sources import SourceEntry
from docshelf.states import State

T = TypeVar("T")

_FREE_FAILURES = 2
_LONGEST_PAUSE_DAYS = 32
_LEEWAY = timedelta(hours=12)
"""Sweeps come once a day, not at the same second each time."""


class Reason(StrEnum):
    """Why a key must be looked at again."""

    NEW = "new"
    CHANGED = "changed"
    REMOVED = "removed"
    DAMAGED = "damaged"
    RETRY = "retry"
    RECOGNISING = "recognising"


@dataclass(frozen=True, slots=True)
class Difference:
    """A key whose document is not what the bucket holds; `entry` is None where the bucket holds nothing."""

    key: str
    reason: Reason
    entry: SourceEntry | None


def differences(
    entries: Iterator[SourceEntry],
    stored: Iterator[SourceVersion],
    limits: Limits,
    now: datetime | None = None,
    *,
    every_failure: bool = False,
) -> Iterator[Difference]:
    """The keys that differ. Both sides come in order of their keys; one item of each is held at a time.

    A failure that may pass counts as a difference when it is due, or always with `every_failure`.

    Raises:
        SourceError: a side is not in order, so that nothing could be said about what is missing in it.
    """
    pairs = compared(entries, stored, limits, now, every_failure=every_failure)
    return (found for _, found, _ in pairs if found is not None)


def compared(
    entries: Iterator[SourceEntry],
    stored: Iterator[SourceVersion],
    limits: Limits,
    now: datetime | None = None,
    *,
    every_failure: bool = False,
) -> Iterator[tuple[str, Difference | None, SourceVersion | None]]:
    """Every key of either side in order, with its difference or None and what the index holds; as `differences`."""
    moment = None if every_failure else now or datetime.now(UTC)
    rows = _ascending(((row.key, row) for row in stored), "The index")
    row_key, row = next(rows, (None, None))
    for key, entry in _ascending(((entry.key, entry) for entry in entries), "The bucket's listing"):
        while row_key is not None and row_key < key:
            yield row_key, Difference(row_key, Reason.REMOVED, None), row
            row_key, row = next(rows, (None, None))
        if row is None or row_key != key:
            yield key, Difference(key, Reason.NEW, entry), None
            continue
        reason = _reason(entry, row, limits, moment)
        yield key, None if reason is None else Difference(key, reason, entry), row
        row_key, row = next(rows, (None, None))
    while row_key is not None:
        yield row_key, Difference(row_key, Reason.REMOVED, None), row
        row_key, row = next(rows, (None, None))


def _reason(entry: SourceEntry, row: SourceVersion, limits: Limits, now: datetime | None) -> Reason | None:
    if not row.consistent or row.version is None or row.state is None:
        return Reason.DAMAGED
    if not holds_content(row, entry.version or "", limits):
        return Reason.CHANGED
    if row.state is State.QUEUED:  # a look finds out whether its text is recognised by now
        return Reason.RECOGNISING
    if row.retryable and not entry.archived and (now is None or _is_due(row, now)):
        return Reason.RETRY
    return None


def _is_due(row: SourceVersion, now: datetime) -> bool:
    """Whether a failure that may pass is worth another look: twice at once, then after 2 days, 4, 8 … 32.

    A file that can never be read is tried about once a month this way, not every night.
    """
    if row.indexed_at is None or row.failures <= _FREE_FAILURES:
        return True
    days = min(2 ** min(row.failures - _FREE_FAILURES, 10), _LONGEST_PAUSE_DAYS)
    return now - row.indexed_at >= timedelta(days=days) - _LEEWAY


def _ascending(pairs: Iterator[tuple[str, T]], side: str) -> Iterator[tuple[str, T]]:
    last: str | None = None
    for key, item in pairs:
        if last is not None and key <= last:
            raise SourceError(f"{side} is not in order of its keys: nothing was compared beyond that place.")
        last = key
        yield key, item
