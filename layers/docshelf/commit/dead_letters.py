"""Keys whose messages ended in the dead letter queue: they become failed documents, so that nothing dies in silence."""

from __future__ import annotations

from collections.abc import Iterable

from docshelf.aws.queues import Queue, Received
from docshelf.commit.deciding import agrees, with_failures
from docshelf.errors import MessageError, ProcessingEndedError
from docshelf.events import keys_of
from docshelf.index.records import PreparedDocument
from docshelf.index.store import Index
from docshelf.ingest.looking import Seen, current, failed_draft
from docshelf.observability import Metric, emit, logger
from docshelf.settings import Limits
from docshelf.sources.bucket import BucketSource, is_document_key

_ROUNDS = 20
_MESSAGES_A_ROUND = 10
_HIDDEN_SECONDS = 300


def drain(queue: Queue, source: BucketSource, indexes: Iterable[Index], limits: Limits, bucket: str) -> None:
    """Note the fate of every dead letter in the indexes, and delete it; one that names no key stays for a person.

    Raises:
        StoreUnavailableError, IndexUnavailableError: the letters that are left come again.
    """
    targets = list(indexes)
    if not targets:  # the first file of an environment may end every invocation: nobody else would tell
        emit({Metric.DEAD_LETTERS: queue.waiting()[0]})
    for _ in range(_ROUNDS if targets else 0):
        letters = queue.receive(_MESSAGES_A_ROUND, visibility_seconds=_HIDDEN_SECONDS)
        if not letters:
            return
        emit({Metric.DEAD_LETTERS: len(letters)})
        read = {letter.receipt: found for letter in letters if (found := _keys(letter, bucket)) is not None}
        keys = sorted({key for found in read.values() for key in found if is_document_key(key)})
        for index in targets:
            _note(index, source, keys, limits)
        queue.delete(list(read))


def _keys(letter: Received, bucket: str) -> tuple[str, ...] | None:
    try:
        return keys_of(letter.body, bucket)
    except MessageError as error:
        logger.error("A dead letter names no key and stays in its queue.", reason=error.sentence)
        return None


def _note(index: Index, source: BucketSource, keys: list[str], limits: Limits) -> None:
    """Make each key that the index does not agree with a failed document, or remove it if its object is gone."""
    stored = index.stored_versions(keys)
    failed: list[PreparedDocument] = []
    removed: list[str] = []
    for key in keys:
        entry = current(source, key)
        if agrees(entry, stored.get(key), limits):
            continue
        if entry is None:
            removed.append(key)
            continue
        error = ProcessingEndedError(
            "Every attempt at this file ended without a result: the function ran out of time or memory, or could not "
            "work at all. Its log says more; upload the file again to have it tried again at once."
        )
        seen = Seen(key, entry.version, error, entry.size, entry.modified_at)
        record = failed_draft(seen, error, limits).record
        failed.append(PreparedDocument(with_failures(record, stored.get(key))))
        logger.error("A file was given up.", key=key)
    if failed or removed:
        index.replace(failed, removed)
