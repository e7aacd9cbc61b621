"""What a commit does with each prepared entry, given what the bucket and the index hold now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from docshelf.content_versions import holds_content
from docshelf.index.prepared_file import PreparedEntry
from docshelf.index.records import DocumentRecord, SourceVersion
from docshelf.index.rows import PreparedRows
from docshelf.ingest.looking import UNKNOWN_VERSION
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


def decide(
    entries: Iterable[PreparedEntry], now: Versions, stored: Mapping[str, SourceVersion], limits: Limits
) -> Decision:
    """Keep the entries that were made from what the bucket holds now, one a key, and of those what the index lacks."""
    chosen: dict[str, PreparedEntry] = {}
    for told in entries:
        entry = _as_known(told, now[told.key])
        if entry is not None and not _is_worse(entry, chosen.get(entry.key)):
            chosen[entry.key] = entry
    chosen = _without_clashes(chosen)
    decision = Decision(accepted=set(chosen))
    for key, entry in chosen.items():
        if _is_settled(entry, stored.get(key), limits):
            continue
        if entry.document is None:
            decision.removed.append(key)
        else:
            record = with_failures(entry.document.record, stored.get(key), entry.document.members)
            decision.documents.append(replace(entry.document, record=record))
    return decision


def with_failures(
    record: DocumentRecord, stored: SourceVersion | None, members: Sequence[DocumentRecord] = ()
) -> DocumentRecord:
    """The record with the count of failures at its version, or of its `members`, this one included."""
    if record.state is not State.FAILED and not any(each.retryable for each in (record, *members)):
        return record
    same = stored is not None and (stored.state, stored.version) == (record.state, record.version)
    return replace(record, failures=1 + (stored.failures if stored and same else 0))


def agrees(held: SourceEntry | None, stored: SourceVersion | None, limits: Limits) -> bool:
    """Whether the index holds what the bucket holds, so that nothing is left to do for a key."""
    if held is None or stored is None:
        return held is None and stored is None
    if not stored.consistent or stored.state is None or stored.state is State.QUEUED:
        return False
    return holds_content(stored, held.version or "", limits)


def _without_clashes(chosen: Mapping[str, PreparedEntry]) -> dict[str, PreparedEntry]:
    """The entries but those with a member whose full name is that of another document here, which is really there."""
    names: set[str] = set()
    kept: dict[str, PreparedEntry] = {}
    for key in sorted(chosen, key=len, reverse=True):
        document = chosen[key].document
        sources = {record.source for record in document.records} if document else set()
        if names.isdisjoint(sources):
            names |= sources
            kept[key] = chosen[key]
    return {key: kept[key] for key in chosen if key in kept}


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
    if other is None or _state(other) is not State.INDEXED:
        return False
    return _state(entry) is not State.INDEXED or (_may_end_otherwise(entry) and not _may_end_otherwise(other))


def _state(entry: PreparedEntry) -> State | None:
    return entry.document.record.state if entry.document else None


def _may_end_otherwise(entry: PreparedEntry) -> bool:
    return entry.document is not None and any(record.retryable for record in entry.document.records)


def _is_settled(entry: PreparedEntry, stored: SourceVersion | None, limits: Limits) -> bool:
    """Whether the index holds the entry, or a better outcome of the same version; a failure is noted each time."""
    if entry.document is None:
        return stored is None
    if stored is None or not stored.consistent:
        return False
    record, holds = entry.document.record, holds_content(stored, entry.object_version or "", limits)
    if stored.retryable and record.state is State.INDEXED:
        return False
    if stored.state is State.INDEXED or (record.state is State.QUEUED and stored.state is State.EMPTY):
        return holds
    same = (stored.version, stored.state) == (record.version, record.state)
    return same and record.state is not State.FAILED and (holds or not stored.members)
