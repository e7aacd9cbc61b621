"""What a commit does with each prepared entry, given what the bucket and the index hold now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from docshelf.index.prepared_file import PreparedEntry
from docshelf.index.records import DocumentRecord, SourceVersion
from docshelf.index.rows import PreparedRows
from docshelf.ingest.looking import UNKNOWN_VERSION
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
    for told in entries:
        entry = _as_known(told, now[told.key])
        if entry is not None and not _is_worse(entry, chosen.get(entry.key)):
            chosen[entry.key] = entry
    decision = Decision(accepted=set(chosen))
    for key, entry in chosen.items():
        if _is_settled(entry, stored.get(key)):
            continue
        if entry.document is None:
            decision.removed.append(key)
        else:
            record = with_failures(entry.document.record, stored.get(key))
            decision.documents.append(replace(entry.document, record=record))
    return decision


def with_failures(record: DocumentRecord, stored: SourceVersion | None) -> DocumentRecord:
    """The record with the count of failures at its version, this one included."""
    if record.state is not State.FAILED:
        return record
    same = stored is not None and (stored.state, stored.version) == (State.FAILED, record.version)
    return replace(record, failures=1 + (stored.failures if stored and same else 0))


def agrees(held: SourceEntry | None, stored: SourceVersion | None, limits: Limits) -> bool:
    """Whether the index holds what the bucket holds, so that nothing is left to do for a key."""
    if held is None or stored is None:
        return held is None and stored is None
    if not stored.consistent or stored.state is None:
        return False
    return stored.version == version_of(held.version or "", stored.state, limits)


def _as_known(entry: PreparedEntry, held: SourceEntry | None) -> PreparedEntry | None:
    """The entry if it was made from what is held now, else None.

    Where only one of the two functions may ask the bucket about an object, what the other one knows counts: looking
    again would end the same, for ever.
    """
    version = held.version if held else None
    if version in (entry.object_version, UNKNOWN_VERSION):
        return entry
    if entry.object_version != UNKNOWN_VERSION:
        return None
    if version is None:
        return PreparedEntry(entry.key, None, None)
    if entry.document is None:
        return None
    record = entry.document.record
    named = replace(record, version=version + record.version.removeprefix(UNKNOWN_VERSION))
    return PreparedEntry(entry.key, version, replace(entry.document, record=named))


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
