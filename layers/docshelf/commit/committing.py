"""Prepared files to the index: one commit of chunks and one of documents for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from docshelf.aws.objects import ObjectStore
from docshelf.aws.queues import Queue
from docshelf.cloud.places import remedy
from docshelf.commit.deciding import Decision, Versions, agrees, decide
from docshelf.errors import IndexMissingError, StoreUnavailableError
from docshelf.index.identity import IndexIdentity
from docshelf.index.live import LiveIndex
from docshelf.index.prepared_file import PreparedEntry, PreparedFile, read_prepared_file
from docshelf.index.records import SourceVersion
from docshelf.index.store import Index
from docshelf.ingest.looking import current
from docshelf.messages import LookAt, Prepared, to_body
from docshelf.observability import Metric, emit, logger
from docshelf.settings import CloudSettings, Limits
from docshelf.sources import Source


@dataclass(slots=True)
class _Batch:
    """What the prepared files hold: entries by identity in the order of the messages, and keys whose file is gone."""

    entries: dict[IndexIdentity, list[PreparedEntry]] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)


class Committer:
    """Commits prepared files. A crash between any two of its steps is put right when the messages come again."""

    def __init__(
        self,
        source: Source,
        store: ObjectStore,
        ingest_queue: Queue,
        live: LiveIndex,
        settings: CloudSettings,
        limits: Limits,
    ) -> None:
        self._source = source
        self._store = store
        self._ingest_queue = ingest_queue
        self._live = live
        self._settings = settings
        self._limits = limits
        self._pool = ThreadPoolExecutor(16, thread_name_prefix="docshelf-commit")

    def commit(self, messages: Sequence[Prepared]) -> None:
        """Make the index hold what the files say, as far as the bucket still agrees; look again at the rest.

        Raises:
            StoreUnavailableError, IndexUnavailableError: nothing is lost; the messages must come again.
            IndexCorruptError, StoreDeniedError, StoreRefusedError: a person must act.
        """
        files = self._pool.map(self._read, messages)
        keys = sorted({key for message in messages for key in message.keys})
        looks = self._pool.map(lambda key: current(self._source, key), keys)
        opened = self._pool.submit(self._opened)
        batch = _sorted(messages, files)
        now: Versions = dict(zip(keys, looks, strict=True))
        indexes = opened.result() or self._created(batch)
        again = set(keys)
        for index in indexes:
            again -= self._commit_to(index, batch, now)
        if again:
            self._ingest_queue.send_all(to_body(LookAt(key)) for key in sorted(again))
        emit({Metric.MOVED: len(again)})
        self._remove_files(messages)

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def _commit_to(self, index: Index, batch: _Batch, now: Versions) -> set[str]:
        """Write what is for `index` and return the keys about which nothing more is to be done."""
        entries = batch.entries.get(index.identity, [])
        keys = {entry.key for entry in entries} | batch.lost
        stored = index.stored_versions(sorted(keys))
        decision = decide(entries, now, stored, self._limits)
        self._write(index, decision, stored)
        settled = {key for key in keys if agrees(now[key], stored.get(key), self._limits)}
        return decision.accepted | settled

    def _write(self, index: Index, decision: Decision, stored: Mapping[str, SourceVersion]) -> None:
        """Both tables at the same time: what a crash leaves of one alone is inconsistent and written again."""
        if not decision.documents and not decision.removed:
            return
        result = index.replace_rows(decision.documents, decision.removed, stored=stored, together=True)
        if result.met_another_writer:
            logger.warning(
                "Another writer changed the index during a commit. One commit lane must write it: look for a second "
                "consumer of the commit queue, or a command that was started by hand.",
                generation=index.generation,
            )
            emit({Metric.OTHER_WRITERS: 1})
        emit({Metric.COMMITTED: len(decision.documents), Metric.REMOVED: len(decision.removed)})

    def _read(self, message: Prepared) -> PreparedFile | None:
        """The prepared file of a message; None where it is gone or damaged, so that its keys are looked at again."""
        stored = self._store.get(message.file)
        if stored is None:
            return None
        try:
            return read_prepared_file(stored.data)
        except ValueError:
            logger.error("A prepared file is damaged; its keys are looked at again.", file=message.file)
            return None

    def _opened(self) -> list[Index]:
        try:
            return self._live.writable()
        except IndexMissingError:
            return []

    def _created(self, batch: _Batch) -> list[Index]:
        """The index of a new environment, made with the identity of the first prepared file; none without one."""
        identity = next(iter(batch.entries), None)
        if identity is None:
            return []
        Index.open_or_create(self._settings.index, identity, remedy=remedy(self._settings.index))
        return self._live.writable()

    def _remove_files(self, messages: Iterable[Prepared]) -> None:
        try:
            self._store.delete([message.file for message in messages])
        except StoreUnavailableError as error:
            logger.warning("Prepared files are left behind until they are old.", reason=error.sentence)


def _sorted(messages: Sequence[Prepared], files: Iterable[PreparedFile | None]) -> _Batch:
    batch = _Batch()
    for message, file in zip(messages, files, strict=True):
        if file is None:
            batch.lost.update(message.keys)
        else:
            batch.entries.setdefault(file.identity, []).extend(file.entries)
    return batch
