"""One invocation: the keys of a batch become prepared documents, as far as its time goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from docshelf.aws.objects import ObjectStore
from docshelf.aws.queues import Queue
from docshelf.drafts import Draft, complete, is_complete
from docshelf.errors import (
    DocshelfError,
    DocumentError,
    DocumentTooLargeError,
    IndexUnavailableError,
    ProcessingEndedError,
    StoppedError,
    StoreUnavailableError,
)
from docshelf.ingest.batch import Task
from docshelf.ingest.embedding import vectors_for
from docshelf.ingest.looking import Seen, current, failed_draft, look
from docshelf.ingest.targets import Target
from docshelf.ingest.writing import Entry, submit
from docshelf.messages import LookAt, to_body
from docshelf.observability import logger
from docshelf.ocr.recogniser import Recogniser
from docshelf.prepare import Around
from docshelf.remaining_time import RemainingSeconds
from docshelf.settings import CloudSettings, Limits
from docshelf.sources import Source, SourceContent

CHUNKS_A_GROUP = 64


@dataclass(frozen=True, slots=True)
class Looked:
    """A key that was read and cut: one draft a target, None where the document is to be removed."""

    task: Task
    seen: Seen
    drafts: tuple[Draft | None, ...]

    @property
    def chunks(self) -> int:
        """Chunks of all drafts and their members together."""
        return sum(draft.chunk_count for draft in self.drafts if draft)


@dataclass(slots=True)
class Invocation:
    """What one batch needs, and how far it has come: `done` keys are submitted, `returned` ones come again.

    `crowded` are keys to which others left no time: they have had no attempt of their own.
    """

    source: Source
    store: ObjectStore
    queue: Queue
    ingest_queue: Queue
    targets: tuple[Target, ...]
    settings: CloudSettings
    limits: Limits
    remaining: RemainingSeconds
    done: set[str] = field(default_factory=set)
    returned: dict[str, str] = field(default_factory=dict)
    crowded: set[str] = field(default_factory=set)
    recogniser: Recogniser | None = None

    def run(self, tasks: Sequence[Task]) -> None:
        """Prepare and submit as many of `tasks` as there is time for; what is left at its last delivery is failed."""
        group: list[Looked] = []
        for place, task in enumerate(tasks):
            if not self._has_time_for_another(first=place == 0):
                self.crowded.update(one.key for one in tasks[place:] if place)
                break
            looked = self._look(task, first=place == 0)
            if looked is None:
                continue
            group.append(looked)
            if task.came_back or sum(one.chunks for one in group) >= CHUNKS_A_GROUP:
                self._finish(group, alone=place == 0)
                group = []
        self._finish(group, alone=len(tasks) == 1)
        self._give_back([task for task in tasks if task.key not in self.done])

    def _has_time(self) -> bool:
        return self.remaining() > self.settings.reserve_seconds

    def _has_time_for_another(self, *, first: bool) -> bool:
        """A parser may take twice its seconds by the clock; the first key may have what there is."""
        return self._has_time() if first else self._has_time_to_parse()

    def _has_time_to_parse(self) -> bool:
        return self.remaining() > self.settings.reserve_seconds + 2 * self.limits.parse_seconds

    def _look(self, task: Task, *, first: bool) -> Looked | None:
        """Read and cut one object; None where it must come again. The `first` has the whole time to itself."""
        try:
            seen = look(self.source, task.key, self.limits)
            try:
                return self._looked(task, seen)
            except StoppedError:
                if first:
                    return self._failed(task, replace(seen, content=None), _too_many_members())
                self.crowded.add(task.key)
        except StoreUnavailableError as error:
            self.returned[task.key] = error.sentence
        return None

    def _looked(self, task: Task, seen: Seen) -> Looked | None:
        if seen.content is None:
            if self.recogniser is not None:
                self.recogniser.forget(task.key)
            return Looked(task, seen, (None,) * len(self.targets))
        if isinstance(seen.content, DocumentError):
            return self._failed(task, seen, seen.content)
        drafts = tuple(self._draft(target, seen, seen.content) for target in self.targets)
        again = next((draft.record for draft in drafts if draft.record.retryable), None)
        last = task.receives >= self.settings.max_receives
        if again is not None and not last:
            self.returned[task.key] = again.reason or ""
            return None
        if self.recogniser is not None:
            preparers = [target.preparer for target in self.targets]
            drafts = self.recogniser.improved(task.key, seen.content, drafts, preparers, self._has_time, last=last)
        return Looked(task, replace(seen, content=None), drafts)  # the bytes are not needed any more

    def _draft(self, target: Target, seen: Seen, content: SourceContent) -> Draft:
        around = Around(self._has_time_to_parse, self._real_keys)
        return target.preparer.draft(seen.key, content, seen.version, around)

    def _real_keys(self, prefix: str) -> Iterator[str]:
        return (entry.key for entry in self.source.list(prefix))

    def _failed(self, task: Task, seen: Seen, error: DocumentError) -> Looked:
        draft = failed_draft(seen, error, self.limits)
        return Looked(task, seen, (draft,) * len(self.targets))

    def _finish(self, group: Sequence[Looked], *, alone: bool) -> None:
        """Embed and submit; a document that had the whole time to itself and is not finished is too large."""
        if not group:
            return
        try:
            unfinished = self._submit(group)
            if alone and len(group) == 1 and unfinished:
                self._submit([self._failed(one.task, one.seen, _too_long(one)) for one in group])
            elif not alone:
                self.crowded |= unfinished
        except (StoreUnavailableError, IndexUnavailableError) as error:
            for looked in group:
                self.returned[looked.task.key] = error.sentence

    def _submit(self, group: Sequence[Looked]) -> set[str]:
        """Submit what can be finished in time, and return the keys that could not."""
        unfinished: set[str] = set()
        for place, target in enumerate(self.targets):
            drafts = [draft for looked in group if (draft := looked.drafts[place])]
            vectors = vectors_for(target, drafts, self._has_time)
            entries: list[Entry] = []
            for looked in group:
                draft = looked.drafts[place]
                if draft is None:
                    entries.append((looked.seen.key, None, None))
                elif is_complete(draft, vectors):
                    entries.append((looked.seen.key, looked.seen.version, complete(draft, vectors)))
                else:
                    unfinished.add(looked.seen.key)
            submit(self.store, self.queue, target.identity, entries)
        for key in unfinished:
            self.returned[key] = "There was no time left to embed it."
        self.done |= {looked.seen.key for looked in group} - unfinished
        return unfinished

    def _give_back(self, tasks: Sequence[Task]) -> None:
        """Let keys come again; at its last delivery a key is queued anew if it was crowded out, else it is failed."""
        for task in tasks:
            reason = self.returned.get(task.key, "There was no time left for it.")
            logger.warning("A key has no result yet.", key=task.key, receives=task.receives, reason=reason)
        last = [task for task in tasks if task.receives >= self.settings.max_receives]
        try:
            self._queue_anew([task.key for task in last if task.key in self.crowded])
            for task in last:
                if task.key not in self.crowded:
                    self._give_up(task)
        except DocshelfError as failure:
            if not failure.retryable:
                raise
            logger.error("The failure of keys cannot be stored now.", reason=failure.sentence)

    def _queue_anew(self, keys: Sequence[str]) -> None:
        if keys:
            self.ingest_queue.send_all(to_body(LookAt(key)) for key in keys)
            self.done.update(keys)

    def _give_up(self, task: Task) -> None:
        reason = self.returned.get(task.key, "There was no time left for it.")
        error = ProcessingEndedError(f"Given up after {task.receives} attempts. The last one ended so: {reason}")
        self._submit([self._given_up(task, error)])

    def _given_up(self, task: Task, error: DocumentError) -> Looked:
        entry = current(self.source, task.key)
        if entry is None:
            return Looked(task, Seen(task.key, None, None), (None,) * len(self.targets))
        return self._failed(task, Seen(task.key, entry.version, error, entry.size, entry.modified_at), error)


def _too_many_members() -> DocumentTooLargeError:
    return DocumentTooLargeError(
        "The file holds more than can be read in the time of one invocation: split it, or give the ingest function "
        "more memory or time and upload the file again."
    )


def _too_long(looked: Looked) -> DocumentTooLargeError:
    return DocumentTooLargeError(
        f"The document has {looked.chunks:,} chunks, more than can be embedded in the time of one invocation: split "
        "the file, or give the ingest function more memory or time and upload the file again."
    )
