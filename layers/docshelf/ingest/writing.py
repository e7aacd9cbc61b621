"""Prepared documents on their way to the commit lane: one file and one message for several of them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from docshelf.aws.objects import ObjectStore
from docshelf.aws.queues import Queue
from docshelf.batching import batches
from docshelf.index.identity import IndexIdentity
from docshelf.index.prepared_file import prepared_file_bytes
from docshelf.index.records import PreparedDocument
from docshelf.messages import Prepared, to_body

PREPARED_PREFIX = "prepared/"
GROUP = "index"
"""The one message group of the commit queue: everything that writes goes through it, in order."""

_DOCUMENTS_A_FILE = 50
_CHUNKS_A_FILE = 2_000

Entry = tuple[str, str | None, PreparedDocument | None]
"""Key, version of the object (None: there is none), and the document (None: remove it)."""


def submit(store: ObjectStore, queue: Queue, identity: IndexIdentity, entries: Sequence[Entry]) -> None:
    """Write `entries` as prepared files and tell the commit lane of each.

    Ended between the two, a file is left that nobody knows of; the lane removes it when it is old.

    Raises:
        StoreUnavailableError, StoreDeniedError, StoreRefusedError: nothing more was submitted.
    """
    for part in batches(entries, _chunks, most=_DOCUMENTS_A_FILE, heaviest=_CHUNKS_A_FILE):
        name = f"{PREPARED_PREFIX}{uuid.uuid4().hex}.arrow"
        store.put(name, prepared_file_bytes(identity, part))
        rows = sum(_chunks(entry) for entry in part)
        message = Prepared(name, tuple(key for key, _, _ in part), rows)
        queue.send(to_body(message), group=GROUP, deduplication=name.removeprefix(PREPARED_PREFIX))


def _chunks(entry: Entry) -> int:
    return entry[2].chunk_count if entry[2] else 0
