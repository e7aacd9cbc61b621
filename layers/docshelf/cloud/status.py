"""What a person sees of an index on S3 and of the bucket that it follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from docshelf.aws.objects import ObjectStore
from docshelf.cloud.comparing import NAMES, Comparison, comparison
from docshelf.cloud.places import remedy
from docshelf.index.filters import EVERYTHING
from docshelf.index.pointer import Pointer, read_pointer
from docshelf.index.store import Index
from docshelf.local.report import collection_lines, counted, shown_key
from docshelf.moments import iso
from docshelf.reconcile import Reason
from docshelf.settings import Limits
from docshelf.sources.bucket import BucketSource
from docshelf.states import State

WAITING = {
    Reason.NEW: (State.QUEUED.value, "new in the bucket"),
    Reason.CHANGED: (State.QUEUED.value, "changed in the bucket"),
    Reason.DAMAGED: (State.QUEUED.value, "not stored as a whole; it is done again"),
    Reason.RECOGNISING: (State.QUEUED.value, "its text is being recognised (OCR)"),
    Reason.REMOVED: ("removed", "no longer in the bucket, still in the index"),
}
"""How each kind of change that waits is called, and in other words."""

_REASONS_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class CloudIndex:
    """An index on S3 as it is: the generation in use, the one that a rebuild fills, and the bucket if it was named."""

    address: str
    pointer: Pointer
    index: Index
    building: Index | None
    source: BucketSource | None
    limits: Limits

    @classmethod
    def open(cls, address: str, documents: ObjectStore | None, limits: Limits) -> Self:
        """Open what is at `address`.

        Raises:
            DocshelfError: there is no index, or it cannot be read.
        """
        pointer = read_pointer(address, remedy(address))
        index = Index.open(address, pointer.generation, remedy=remedy(address))
        building = Index.open(address, pointer.building, remedy=remedy(address)) if pointer.building else None
        return cls(address, pointer, index, building, BucketSource(documents) if documents else None, limits)

    def compare(self, index: Index) -> Comparison | None:
        """A generation and the bucket; None where no bucket was named."""
        return comparison(self.source, index, self.limits) if self.source else None


def status_lines(shelf: CloudIndex) -> Iterator[str]:
    """Place, generations, model, counts; then states, with the first files of each that is not searchable."""
    index, found = shelf.index, shelf.compare(shelf.index)
    summaries = index.collections()
    last = max((summary.last_indexed for summary in summaries), default=None)
    yield f"index        {shown_key(shelf.address)} (version {index.version}, {index.size_bytes() / 1e6:,.1f} MB)"
    yield f"model        {index.identity.model} ({index.identity.dimension} dimensions)"
    yield f"generation   {index.generation}"
    if shelf.building:
        yield f"building     {building_text(shelf.building, shelf.compare(shelf.building))}"
    yield f"last change  {iso(last) or 'none yet'}"
    documents = sum(summary.documents for summary in summaries)
    yield f"holds        {counted(documents, 'document')}, {counted(sum(each.chunks for each in summaries), 'chunk')}"
    if found and shelf.source:
        within = f", and {found.members:,} within them" if found.members else ""
        yield f"bucket       {shelf.source.store.uri}: {counted(found.keys, 'document')}{within}"
        yield f"waiting      {waiting_text(found)}"
    yield ""
    yield from collection_lines(summaries)
    yield ""
    yield from _compared_states(index, found) if found else _stored_states(index)


def building_text(building: Index, found: Comparison | None) -> str:
    """How far a rebuild is."""
    if found is None:
        return f"{building.generation} with {building.identity.model}"
    return (
        f"{building.generation} with {building.identity.model}: {found.agreeing:,} of "
        f"{counted(found.keys, 'document')} agree with the bucket"
    )


def waiting_text(found: Comparison) -> str:
    """How many changes of the bucket are not in the index yet, and since when."""
    if not found.waiting:
        return "nothing: the index agrees with the bucket"
    since = f", the oldest of {iso(found.oldest)}" if found.oldest else ""
    return f"{counted(found.waiting.total(), 'change')}{since}"


def _stored_states(index: Index) -> Iterator[str]:
    counts = index.state_counts()
    yield from _table([(state.value, counts[state]) for state in State if counts.get(state)])
    for state in State:
        if state is State.INDEXED or not counts.get(state):
            continue
        found = index.documents(EVERYTHING, state, limit=NAMES)
        yield from _named(state.value, [(each.source, each.reason or "waiting") for each in found], counts[state])


def _compared_states(index: Index, found: Comparison) -> Iterator[str]:
    removed = found.waiting[Reason.REMOVED]
    yield from state_table(found)
    queued = [(key, WAITING[reason][1]) for key, reason in found.queued_keys if reason is not Reason.REMOVED]
    yield from _named(State.QUEUED.value, queued[:NAMES], found.states[State.QUEUED])
    for state, keys in found.state_keys.items():
        reasons = reasons_of(index, state, keys)
        yield from _named(state.value, [(key, reasons.get(key) or "waiting") for key in keys], found.states[state])
    gone = [(key, WAITING[reason][1]) for key, reason in found.queued_keys if reason is Reason.REMOVED]
    yield from _named("removed", gone, removed)


def state_table(found: Comparison) -> Iterator[str]:
    """How many keys are in each state, those that are only in the index last."""
    removed = found.waiting[Reason.REMOVED]
    counts = [(state.value, found.states[state]) for state in State if found.states[state]]
    yield from _table([*counts, *([("removed", removed)] if removed else [])])


def reasons_of(index: Index, state: State, keys: Sequence[str]) -> dict[str, str | None]:
    """The sentences of the documents `keys`, which are in `state` and in order."""
    reasons: dict[str, str | None] = {}
    wanted, after = set(keys), None
    while len(reasons) < len(wanted) and (page := index.documents(EVERYTHING, state, after, _REASONS_AT_ONCE)):
        reasons |= {each.source: each.reason for each in page if each.source in wanted}
        after = page[-1].source
    return reasons


def _table(counts: Sequence[tuple[str, int]]) -> Iterator[str]:
    yield f"{'state':<12} {'documents':>9}"
    for name, number in counts:
        yield f"{name:<12} {number:>9,}"


def _named(name: str, found: Sequence[tuple[str, str]], total: int) -> Iterator[str]:
    if found:
        yield ""
    for key, reason in found:
        yield f"{name}  {shown_key(key)}: {reason}"
    if total > len(found):
        yield f"{name}  and {total - len(found):,} more; --json names each"
