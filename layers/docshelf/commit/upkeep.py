"""The scheduled chore: dead letters, compaction, indexes, clean-up, and the metrics of the index."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from docshelf.aws.objects import ObjectStore
from docshelf.aws.queues import Queue
from docshelf.commit.dead_letters import drain
from docshelf.errors import IndexMissingError
from docshelf.index.live import LiveIndex
from docshelf.index.store import Index
from docshelf.ingest.writing import PREPARED_PREFIX
from docshelf.observability import Metric, emit
from docshelf.remaining_time import RemainingSeconds
from docshelf.settings import CloudSettings, Limits
from docshelf.sources.bucket import BucketSource
from docshelf.states import State

_LONGEST_DAYS = 36_500
"""A number that means "for ever" leaves the calendar."""


class Upkeep:
    """Keeps the index small and fast, and tells how it is."""

    def __init__(
        self, source: BucketSource, store: ObjectStore, live: LiveIndex, settings: CloudSettings, limits: Limits
    ) -> None:
        self._source = source
        self._store = store
        self._live = live
        self._settings = settings
        self._limits = limits
        address = settings.dead_letter_queue_url
        self._dead_letters = Queue(address) if address else None

    def maintain(self, remaining: RemainingSeconds) -> None:
        """Do the whole chore, as far as the time goes; what is left is done at the next.

        Raises:
            StoreUnavailableError, IndexUnavailableError: it must be tried again.
        """
        try:
            indexes = self._live.writable()
        except IndexMissingError:
            indexes = []
        for index in indexes:
            self.compact(index, remaining, force=True)
        self._remove_old_files()
        if indexes:
            _measure(indexes[0])
        if self._dead_letters:  # last: a letter that cannot be worked on keeps nothing else from being done
            drain(self._dead_letters, self._source, indexes, self._limits, self._settings.bucket)

    def compact(self, index: Index, remaining: RemainingSeconds, *, force: bool = False) -> None:
        """Compact `index` within the remaining time; without `force` only where it pays."""
        seconds = remaining() - self._settings.reserve_seconds
        if seconds > 0:
            keep = timedelta(seconds=self._settings.keep_versions_seconds)
            index.maintain(force=force, keep_versions=keep, seconds=seconds)

    def _remove_old_files(self) -> None:
        """Prepared files that no message can name any more: messages live for two weeks at most."""
        oldest = datetime.now(UTC) - timedelta(days=min(self._settings.keep_prepared_days, _LONGEST_DAYS))
        self._store.delete(entry.key for entry in self._store.list(PREPARED_PREFIX) if entry.modified_at < oldest)


def _measure(index: Index) -> None:
    measured = index.measurements()
    emit(
        {
            Metric.CHUNKS: measured.chunks,
            Metric.FRAGMENTS: measured.fragments,
            Metric.VERSIONS: measured.versions,
            Metric.BYTES: measured.bytes,
            Metric.UNINDEXED: measured.unindexed_rows,
        }
    )
    counts = index.state_counts()
    for state in State:
        if state is not State.QUEUED:
            emit({Metric.DOCUMENTS: counts.get(state, 0)}, State=state.value)
