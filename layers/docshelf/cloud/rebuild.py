"""The steps of making an index anew beside the one in use. Each can be interrupted, and done again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from docshelf.aws.objects import ObjectStore
from docshelf.aws.queues import Queue
from docshelf.cloud.places import reindex_command, remedy
from docshelf.errors import IndexCorruptError, IndexMismatchError, IndexUnavailableError, PreconditionFailedError
from docshelf.index.identity import IndexIdentity
from docshelf.index.pointer import Pointer, generations, read_pointer, remove_generation, write_pointer
from docshelf.index.store import Index
from docshelf.messages import LookAt, to_body
from docshelf.reconcile import Reason, differences
from docshelf.settings import Limits
from docshelf.sources.bucket import BucketSource

READERS_SECONDS = 600
"""Longer than any reader or writer goes on with a generation after the pointer has left it."""

_POINTER_KEY, _CLAIM_KEY = "current.json", "claim"


@dataclass(frozen=True, slots=True)
class Rebuild:
    """The generation that is filled, and the pointer that says so. `resumed` if an earlier run began it.

    `beside` is False where the index in use could not be read, so that there was nothing to be kept in use.
    """

    address: str
    pointer: Pointer
    index: Index
    resumed: bool
    beside: bool = True


def begin(address: str, identity: Callable[[], IndexIdentity], wanted_model: str | None) -> Rebuild:
    """The rebuild that is under way at `address`, or a new one with `identity`, which takes a while to tell.

    With `wanted_model`, named by the person, the one under way must be with that identity.

    Raises:
        IndexMissingError: there is no index that could be made anew.
        IndexMismatchError: the one under way is with another model.
        PreconditionFailedError: somebody else has begun one, or switched, at this moment.
        DocshelfError: the index cannot be read or written, or the model not be had.
    """
    try:
        pointer = read_pointer(address, remedy(address))
    except (IndexCorruptError, IndexMismatchError):
        index = Index.create(address, identity(), remedy=remedy(address))
        return Rebuild(address, read_pointer(address, remedy(address)), index, resumed=False, beside=False)
    if pointer.building:
        index = _under_way(address, pointer.building)
        if wanted_model is not None and index.identity != identity():
            raise IndexMismatchError(
                f"{pointer.building} is being built with {index.identity.model}, or by another version: leave --model "
                f"out to finish it, or give it up with {reindex_command(address)} --abandon."
            )
        return Rebuild(address, pointer, index, resumed=True)
    index = Index.create(address, identity(), activate=False, remedy=remedy(address))
    try:
        pointer = write_pointer(address, replace(pointer, building=index.generation))
    except PreconditionFailedError:
        remove_generation(address, index.generation, remedy(address))
        raise
    return Rebuild(address, pointer, index, resumed=False)


def _under_way(address: str, generation: str) -> Index:
    return Index.open(
        address, generation, remedy=f"give this rebuild up with {reindex_command(address)} --abandon, and begin another"
    )


def model_in_use(address: str) -> str | None:
    """The name of the model that the index in use was made with, None where that cannot be read."""
    try:
        return Index.open(address, remedy=remedy(address)).identity.model
    except (IndexCorruptError, IndexMismatchError):
        return None


def queue_differences(rebuild: Rebuild, source: BucketSource, queue: Queue, limits: Limits) -> int:
    """Ask ingest to look at every key of the bucket that the new generation does not hold as it is; return how many.

    Raises:
        DocshelfError: the bucket or the index cannot be read, or the queue takes no messages.
    """
    rebuild.index.refresh()
    found = differences(source.list(), rebuild.index.ordered_versions(), limits)
    return queue.send_all(to_body(LookAt(one.key)) for one in found if one.reason is not Reason.RETRY)


def switch(rebuild: Rebuild) -> None:
    """Make the new generation the one in use, unless somebody else has.

    Raises:
        PreconditionFailedError: the pointer says something else by now.
    """
    pointer, new = read_pointer(rebuild.address, remedy(rebuild.address)), rebuild.index.generation
    if pointer.generation == new:
        return
    if pointer.building != new:
        raise PreconditionFailedError(
            f"The rebuild of {rebuild.address} was given up, or another took its place: nothing was switched."
        )
    write_pointer(rebuild.address, replace(pointer, generation=new, building=None))


def abandon(address: str) -> str | None:
    """Give up the rebuild under way; return its generation, whose tables stay until `remove_old`, or None.

    Raises:
        PreconditionFailedError: somebody else has written the pointer at this moment.
        DocshelfError: the index cannot be read or written.
    """
    pointer = read_pointer(address, remedy(address))
    if pointer.building:
        write_pointer(address, replace(pointer, building=None))
    return pointer.building


def unused_generations(address: str) -> list[str]:
    """The generations that are neither in use nor being built."""
    pointer = read_pointer(address, remedy(address))
    return [name for name in generations(address) if name not in (pointer.generation, pointer.building)]


def remove_old(address: str, now: datetime | None = None) -> Iterator[str]:
    """Delete each generation that is neither in use nor being built; give its name when that is done.

    Raises:
        IndexUnavailableError: one left use, or was begun, so shortly ago that somebody may still read or write it.
        DocshelfError: the index cannot be read or written.
    """
    store = ObjectStore.from_uri(address)
    for name in unused_generations(address):
        moments = [entry.modified_at for key in (_POINTER_KEY, f"{name}/{_CLAIM_KEY}") if (entry := store.head(key))]
        until = max(moments) + timedelta(seconds=READERS_SECONDS)
        if until > (now or datetime.now(UTC)):
            raise IndexUnavailableError(
                f"{name} may still be read or written: remove it after {until.astimezone(UTC):%H:%M:%S} UTC."
            )
        remove_generation(address, name, remedy(address))
        yield name
