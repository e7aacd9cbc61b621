"""What a commit does with each prepared entry, given what the bucket and the index hold now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from docshelf.index.prepared_file import PreparedEntry
from docshelf.index.records import SourceVersion
from docshelf.index.rows import PreparedRows
from docshelf.prepare import version_of
from docshelf.settings import Limits
from docshelf.sources import SourceEntry
from docshelf.states import State

Versions = Mapping[str, SourceEntry | None]
"""What the bucket holds now under each key."""


@dataclass(slots=True)
class Decision:
    """What one commit writes to an index; `accepted` are the keys whose entries are of the bucket's version."""

    documents: list[PreparedRows] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    accepted: set[str] = field(default_factory=set)


def decide(entries: Iterable[PreparedEntry], now: Versions, stored: Mapping[str, SourceVersion]) -> Decision:
    """Keep the entries that were made from what the bucket holds now, one a key, and of those what the index lacks."""
    chosen: dict[str, PreparedEntry] = {}
    for entry in entries:
        held = now[entry.key]
        if entry.object_version == (held.version if held else None) and not _is_worse(entry, chosen.get(entry.key)):
            chosen[entry.key] = entry
    decision = Decision(accepted=set(chosen))
    for key, entry in chosen.items():
        if _is_settled(entry, stored.get(key)):
            continue
        if entry.document is None:
            decision.removed.append(key)
        else:
            decision.documents.append(entry.document)
    return decision


def agrees(held: SourceEntry | None, stored: SourceVersion | None, limits: Limits) -> bool:
    """Whether the index holds what the bucket holds, so that nothing is left to do for a key."""
    if held is None or stored is None:
        return held is None and stored is None
    if not stored.consistent or stored.state is None:
        return False
    return stored.version == version_of(held.version or "", stored.state, limits)


def _is_worse(entry: PreparedEntry, other: PreparedEntry | None) -> bool:
    """Whether an attempt at the same version that failed would take the place of one that did not."""
    return other is not None and _state(other) is State.INDEXED and _state(entry) is not State.INDEXED


def _state(entry: PreparedEntry) -> State | None:
    return entry.document.record.state if entry.document else None


def _is_settled(entry: PreparedEntry, stored: SourceVersion | None) -> bool:
    """Whether the index holds the entry, or a better outcome of the same version; a failure is noted each time."""
    if entry.document is None:
        return stored is None
    if stored is None or not stored.consistent:
        return False
    if stored.state is State.INDEXED:
        return stored.version == entry.object_version
    record = entry.document.record
    return (stored.version, stored.state) == (record.version, record.state) and record.state is not State.FAILED
