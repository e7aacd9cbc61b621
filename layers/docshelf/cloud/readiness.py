"""Whether a new generation may take the place of the one in use.

It may when it agrees with the bucket. A bucket in which people work never stands still, though: what changed since the
rebuild began and is on its way, to both generations alike, does not count as long as no reader would miss a document
that the one in use holds, nor find again what is gone from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from docshelf.cloud.comparing import Compared, Comparison, side_by_side
from docshelf.index.store import Index
from docshelf.reconcile import Reason
from docshelf.settings import Limits
from docshelf.sources import Source
from docshelf.states import State

_FRESH_AT_MOST = 1_000


@dataclass(slots=True)
class Readiness:
    """The sums of a comparison, and what of it stands in the way of the switch. `first` is one such key."""

    totals: Comparison = field(default_factory=Comparison)
    missing: int = 0
    first: str | None = None

    def block(self, key: str) -> None:
        """Count a key that stands in the way."""
        self.missing += 1
        self.first = self.first or key


def readiness(source: Source, new: Index, current: Index | None, since: datetime, limits: Limits) -> Readiness:
    """Compare the bucket with the generation `new`, which is to replace `current` and was begun before `since`.

    Raises:
        DocshelfError: the bucket or an index cannot be read.
    """
    found = Readiness()
    fresh: list[Compared] = []
    new.refresh()
    for one in side_by_side(source, new, limits):
        found.totals.take(one)
        if one.reason in (None, Reason.RETRY) or (one.reason is Reason.RECOGNISING and current is None):
            continue
        if current is not None and len(fresh) < _FRESH_AT_MOST and _may_be_on_its_way(one, since):
            fresh.append(one)
        else:
            found.block(one.key)
    if current is not None and fresh:
        _look_at_current(found, fresh, current)
    return found


def _may_be_on_its_way(one: Compared, since: datetime) -> bool:
    if one.reason in (Reason.REMOVED, Reason.RECOGNISING):
        return True
    moment = one.entry.modified_at if one.entry else None
    return one.reason is not Reason.DAMAGED and moment is not None and moment >= since


def _look_at_current(found: Readiness, fresh: list[Compared], current: Index) -> None:
    current.refresh()
    held = current.stored_versions([one.key for one in fresh])
    for one in fresh:
        lost = one.reason is Reason.NEW and one.key in held
        lost |= one.reason is Reason.RECOGNISING and one.key in held and held[one.key].state is State.INDEXED
        back = one.reason is Reason.REMOVED and one.key not in held
        if lost or back:
            found.block(one.key)
