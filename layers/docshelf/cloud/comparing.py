"""The bucket and the index side by side: what agrees, what waits, and since when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from docshelf.index.records import SourceVersion
from docshelf.index.store import Index
from docshelf.reconcile import Reason, compared
from docshelf.settings import Limits
from docshelf.sources import Source, SourceEntry
from docshelf.states import State

NAMES = 20
"""So many keys are named of each kind; the others are counted."""

_WAITING = (Reason.NEW, Reason.CHANGED, Reason.DAMAGED, Reason.RECOGNISING)


@dataclass(frozen=True, slots=True)
class Compared:
    """A key of either side. `state` is None for what is in the index alone; `entry` for the same.

    `members` counts the documents that the index holds of it besides: those in an archive or attached to a mail.
    """

    key: str
    reason: Reason | None
    state: State | None
    entry: SourceEntry | None
    members: int = 0


@dataclass(slots=True)
class Comparison:
    """Sums over all keys. Each key of the bucket is in one of `states`; `removed` keys are in the index alone.

    `members` are the documents in archives and mails, which `states` do not count.

    `waiting` is empty once the index is equal to the bucket. A failure that is due for another attempt is a state.
    """

    states: Counter[State] = field(default_factory=Counter)
    waiting: Counter[Reason] = field(default_factory=Counter)
    oldest: datetime | None = None
    queued_keys: list[tuple[str, Reason]] = field(default_factory=list)
    state_keys: dict[State, list[str]] = field(default_factory=dict)
    members: int = 0

    @property
    def keys(self) -> int:
        """How many documents the bucket holds."""
        return self.states.total()

    @property
    def agreeing(self) -> int:
        """How many documents of the bucket the index has as they are, searchable or with the reason why not."""
        return self.keys - self.states[State.QUEUED]

    def take(self, one: Compared) -> None:
        """Count a key; the first few of each kind are named."""
        self.members += one.members
        if one.state is not None:
            self.states[one.state] += 1
        if one.reason in (*_WAITING, Reason.REMOVED):
            self.waiting[one.reason] += 1
            if self.waiting[one.reason] <= NAMES:
                self.queued_keys.append((one.key, one.reason))
            moment = one.entry.modified_at if one.entry else None
            self.oldest = min(filter(None, (self.oldest, moment)), default=None)
        elif one.state is not None and one.state is not State.INDEXED:
            names = self.state_keys.setdefault(one.state, [])
            if len(names) < NAMES:
                names.append(one.key)


def side_by_side(source: Source, index: Index, limits: Limits) -> Iterator[Compared]:
    """Every key of the bucket or the index in order, a page of each in memory at a time.

    Raises:
        DocshelfError: the bucket or the index cannot be read.
    """
    for key, difference, row in compared(source.list(), index.ordered_versions(), limits):
        reason, entry = (difference.reason, difference.entry) if difference else (None, None)
        yield Compared(key, reason, _state(reason, row), entry, row.members if row else 0)


def comparison(source: Source, index: Index, limits: Limits) -> Comparison:
    """The sums; raises as `side_by_side`."""
    found = Comparison()
    for one in side_by_side(source, index, limits):
        found.take(one)
    return found


def _state(reason: Reason | None, row: SourceVersion | None) -> State | None:
    if reason is Reason.REMOVED:
        return None
    return State.QUEUED if row is None or reason in _WAITING else row.state
