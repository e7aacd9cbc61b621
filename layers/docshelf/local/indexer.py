"""Keeps an index equal to a folder: one scan over all of it, and single files as they change.

Two lanes work side by side. The scan goes through the whole folder; `follow` takes the files that a watcher reports
and overtakes the scan. Every look at a file has a number, drawn before the file is read. What was looked at before
`follow` took the file, or before what is committed by now, is dropped, so an older content never replaces a newer one
and nothing is removed that came back. The index is changed only by commits of whole documents: ended at any
moment, the next scan finds what is missing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice

from docshelf.drafts import Vector, complete, missing_texts
from docshelf.embedding.embedder import Embedder
from docshelf.errors import SourceError
from docshelf.index.records import SourceVersion
from docshelf.index.store import Index
from docshelf.local.activity import Activity, Change
from docshelf.local.looking import Looked, Looker
from docshelf.prepare import Preparer
from docshelf.settings import Limits
from docshelf.sources import Source, SourceContent, SourceEntry

CHUNKS_A_BATCH = 64
FILES_A_BATCH = 32
SLICE_PER_THREAD = 8
"""Passages given to each embedding thread at a time: a changed file waits for one slice of the scan at most."""

FIRST_COMMIT_SECONDS = 1.0
LONGEST_COMMIT_SECONDS = 10.0
KEEP_VERSIONS = timedelta(minutes=1)


@dataclass(slots=True)
class Batch:
    """Looked-at files on their way into one commit."""

    looked: list[Looked] = field(default_factory=list)
    vectors: dict[str, Vector] = field(default_factory=dict)

    def add(self, other: Batch) -> None:
        """Take over everything of `other`."""
        self.looked += other.looked
        self.vectors |= other.vectors


class Indexer:
    """Writes `index` from `source`. `scan` and `follow` may run at the same time, each in one thread."""

    def __init__(
        self,
        source: Source,
        index: Index,
        embedder: Embedder,
        preparers: tuple[Preparer, Preparer],
        activity: Activity,
        limits: Limits,
    ) -> None:
        """`preparers` are one for the scan and one for `follow`: each has its own parser process."""
        self._source = source
        self._index = index
        self._embedder = embedder
        self._scan_preparer, self._follow_preparer = preparers
        self._activity = activity
        self._stop = threading.Event()
        self._looker = Looker(source, limits, self._stop)
        self._oldest: dict[str, int] = {}
        self._scan_began = 0
        self._commit_lock = threading.Lock()

    def stop(self) -> None:
        """Ask both lanes to end soon; what is prepared is committed first."""
        self._stop.set()

    def scan(self) -> None:
        """Make the index equal to the whole folder, and count what was done in the activity.

        Raises:
            SourceError: the folder cannot be read.
            IndexUnavailableError: the index cannot be written; it is as good as before.
        """
        self._scan_began = self._looker.next_number()
        entries = sorted(self._source.list(), key=lambda entry: entry.key)
        stored = {row.key: row for row in self._index.ordered_versions()}
        if stored and not entries:
            raise _emptied(len(stored))
        self._activity.begin(len(entries), sum(entry.size for entry in entries))
        try:
            renamed = self._drop_what_is_gone(entries, stored)
            self._commit_in_time(self._embedded(self._looker.looks(entries, stored, renamed, self._scan_preparer)))
        finally:
            self._activity.end()
        self._maintain(force=self._activity.snapshot().chunks > 0)

    def follow(self, keys: Iterable[str]) -> list[Looked]:
        """Make the index equal to the folder for `keys`, in commits of a few files each; return what became of them.

        Raises:
            IndexUnavailableError: the index cannot be written; it is as good as before.
        """
        done: list[Looked] = []
        wanted = set(keys)
        # A single file cannot have come from another: what it held before is asked for below.
        rows = self._index.stored_versions(sorted(wanted)).values() if len(wanted) > 1 else ()
        of_content = {row.content_sha256: row.key for row in rows}
        # What is gone goes last: a moved file takes its vectors from there.
        waiting = iter(sorted(wanted, key=lambda key: (self._looker.entry(key) is None, key)))
        while part := list(islice(waiting, FILES_A_BATCH)):
            for key in part:
                self._oldest[key] = self._looker.next_number()
            stored = self._index.stored_versions(part)
            looked = [self._looker.look(key, stored.get(key), self._follow_preparer) for key in part]
            same = {
                of_content.get(one.draft.record.content_sha256, one.key)
                for one in looked
                if one.draft and one.draft.chunk_count
            }
            batch = self._embed(looked, same | stored.keys())
            self._commit(batch, counts=False)
            done += batch.looked
            if self._stop.is_set():
                break
        self._maintain()
        return done

    def keys_under(self, prefixes: tuple[str, ...]) -> set[str]:
        """The keys below `prefixes` that the folder or the index holds: what a moved directory may have changed."""
        listed = {entry.key for entry in self._source.list()}
        stored = {row.key for row in self._index.ordered_versions()}
        if "" in prefixes and stored and not listed:  # the folder itself was replaced: perhaps it is not mounted
            raise _emptied(len(stored))
        return {key for key in listed | stored if key.startswith(prefixes)}

    def _drop_what_is_gone(self, entries: Sequence[SourceEntry], stored: Mapping[str, SourceVersion]) -> dict[str, str]:
        """Remove documents whose files are gone; return new key → old key for files that only moved."""
        listed = {entry.key for entry in entries}
        unreadable = tuple(prefix for prefix, _ in self._source.unreadable)
        gone = [key for key in stored if key not in listed and not key.startswith(unreadable)]
        if not gone:
            return {}
        by_content = {stored[key].content_sha256: key for key in gone if stored[key].content_sha256}
        renamed: dict[str, str] = {}
        for entry in entries:
            if entry.key in stored or not by_content:
                continue
            if self._stop.is_set():
                return {}
            content = self._looker.read(entry.key)
            old = by_content.pop(content.sha256, None) if isinstance(content, SourceContent) else None
            if old is not None:
                renamed[entry.key] = old
        moved = set(renamed.values())
        lost = [Looked(key, Change.REMOVED, self._scan_began, removes=(key,)) for key in gone if key not in moved]
        self._commit(Batch(lost), counts=False)
        return renamed

    def _embedded(self, looks: Iterator[Looked]) -> Iterator[Batch]:
        """Gather looked-at files into batches that fill the embedding threads."""
        looked: list[Looked] = []
        chunks = 0
        for one in looks:
            looked.append(one)
            chunks += one.draft.chunk_count if one.draft else 0
            if chunks >= CHUNKS_A_BATCH or len(looked) >= FILES_A_BATCH:
                yield self._embed(looked, [one.key for one in looked])
                looked, chunks = [], 0
        if looked:
            yield self._embed(looked, [one.key for one in looked])

    def _embed(self, looked: Sequence[Looked], stored_keys: Iterable[str]) -> Batch:
        """Vectors for all chunks: those of unchanged chunks from the index, the others from the model."""
        drafts = [one.draft for one in looked if one.draft and one.draft.chunk_count]
        before = set(stored_keys) | {key for one in looked for key in one.removes}
        known = self._index.vectors_of(sorted(before)) if drafts and before else {}
        missing = list(missing_texts(drafts, known).items())
        size = SLICE_PER_THREAD * self._embedder.threads
        for start in range(0, len(missing), size):
            if self._stop.is_set():
                return Batch()
            part = missing[start : start + size]
            vectors = self._embedder.embed_passages([text for _, text in part])
            known.update({digest: vector for (digest, _), vector in zip(part, vectors, strict=True)})
            self._activity.embedded(len(part))
        return Batch(list(looked), known)

    def _commit_in_time(self, batches: Iterator[Batch], clock: Callable[[], float] = time.monotonic) -> None:
        """Commit early at first, so that answers come soon, then every few seconds."""
        pending = Batch()
        wait, last = FIRST_COMMIT_SECONDS, clock()
        for batch in batches:
            pending.add(batch)
            if clock() - last >= wait:
                self._commit(pending)
                self._maintain()
                pending, last, wait = Batch(), clock(), min(2 * wait, LONGEST_COMMIT_SECONDS)
        self._commit(pending)

    def _maintain(self, *, force: bool = False) -> None:
        """Readers on this machine ask for the latest version each time: old ones need not be kept for long."""
        self._index.maintain(force=force, keep_versions=KEEP_VERSIONS)

    def _commit(self, batch: Batch, *, counts: bool = True) -> None:
        with self._commit_lock:
            current = [one for one in batch.looked if self._is_current(one.key, one.number)]
            prepared = [complete(one.draft, batch.vectors) for one in current if one.draft]
            removed = [
                key
                for one in current
                for key in one.removes
                if key == one.key or self._is_current(key, self._scan_began)
            ]
            if prepared or removed:
                self._index.replace(prepared, removed)
            self._oldest.update({one.key: one.number for one in current})
        for one in batch.looked:
            self._activity.finished(one.change, one.size, counts=counts)

    def _is_current(self, key: str, number: int) -> bool:
        """Whether nobody has taken or committed the file since the look of this number."""
        return number >= self._oldest.get(key, 0)


def _emptied(documents: int) -> SourceError:
    return SourceError(
        f"The folder holds no files any more, and the index holds {documents:,} documents of it: nothing was removed. "
        "Bring the folder back, or delete the index if this is meant."
    )
