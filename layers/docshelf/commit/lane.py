"""The commit function: everything that writes the index, one message after another."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Self

from docshelf.aws.objects import ObjectStore
from docshelf.aws.queues import Queue
from docshelf.cloud.places import remedy
from docshelf.commit.committing import Committer
from docshelf.commit.sweep import Sweeper
from docshelf.commit.upkeep import Upkeep
from docshelf.errors import DocshelfError, MessageError
from docshelf.index.live import LiveIndex
from docshelf.ingest.writing import GROUP
from docshelf.messages import LaneMessage, Maintain, Prepared, Sweep, lane_message, to_body
from docshelf.observability import Metric, emit, logger
from docshelf.remaining_time import RemainingSeconds
from docshelf.settings import CloudSettings, Limits
from docshelf.sources.bucket import BucketSource
from docshelf.sqs_batch import Message, answer, messages_of

CHUNKS_A_COMMIT = 25_000
COMMITS_BETWEEN_COMPACTIONS = 20
ATTEMPTS_AT_A_CHORE = 3
LONGEST_PAUSE_SECONDS = 60
"""The whole lane waits for a message that came back."""

Part = tuple[list[Message], list[LaneMessage]]
"""Messages that are done together, and what they say."""


class Lane:
    """One instance of the commit function; the queue's one message group sees to it that one batch is in flight."""

    def __init__(self, settings: CloudSettings, limits: Limits) -> None:
        """Nothing is opened yet."""
        source, store = BucketSource(ObjectStore(settings.bucket)), ObjectStore.from_uri(settings.index)
        ingest_queue = Queue(settings.ingest_queue_url)
        self._live = LiveIndex(settings.index, remedy=remedy(settings.index), pointer_seconds=0)
        self._settings = settings
        self._queue = Queue(settings.commit_queue_url)
        self._committer = Committer(source, store, ingest_queue, self._live, settings, limits)
        self._sweeper = Sweeper(source, self._live, ingest_queue, limits)
        self._upkeep = Upkeep(source, store, self._live, settings, limits)
        self._commits = 0

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """An instance with the settings of `environment`; raises SettingsError."""
        return cls(CloudSettings.from_environment(environment), Limits.from_environment(environment))

    def handle(self, event: Mapping[str, object], remaining: RemainingSeconds) -> dict[str, object]:
        """Do what the messages say, in their order; return the first that failed and all behind it.

        Raises:
            MessageError: the event is not of SQS.
            DocshelfError: a person must act (a permission, a damaged index); the messages come again.
        """
        messages = messages_of(event)
        done = 0
        for part, asked in _parts(messages):
            if remaining() <= self._settings.reserve_seconds:
                logger.warning("The lane's time is up; the rest comes again.", done=done, left=len(messages) - done)
                break
            try:
                self._do(asked, remaining)
            except DocshelfError as error:
                if not self._can_go_on(part[0], asked, error):
                    break
            done += len(part)
        return answer(messages[done:], self._queue, LONGEST_PAUSE_SECONDS)

    def _can_go_on(self, message: Message, asked: Sequence[LaneMessage], error: DocshelfError) -> bool:
        """Whether the lane goes on behind what ended with `error`: only behind a chore, which its schedule repeats."""
        if isinstance(asked[0], Prepared):
            if not error.retryable:
                raise error
        elif not error.retryable or message.receives >= ATTEMPTS_AT_A_CHORE:
            logger.error("A chore was given up until its next time.", chore=asked[0].kind, reason=error.sentence)
            emit({Metric.FAILED_CHORES: 1})
            return True
        logger.warning("The lane stops here and goes on later.", reason=error.sentence, code=error.code)
        return False

    def close(self) -> None:
        """End the threads."""
        self._committer.close()

    def _do(self, asked: Sequence[LaneMessage], remaining: RemainingSeconds) -> None:
        prepared = [message for message in asked if isinstance(message, Prepared)]
        if prepared:
            self._commit(prepared, remaining)
        for message in asked:
            if isinstance(message, Maintain):
                self._upkeep.maintain(remaining)
                self._commits = 0
            elif isinstance(message, Sweep):
                rest = self._sweeper.sweep(message, remaining, self._settings.reserve_seconds)
                if rest is not None:
                    self._queue.send(to_body(rest), group=GROUP, deduplication=_name(rest))

    def _commit(self, prepared: Sequence[Prepared], remaining: RemainingSeconds) -> None:
        self._committer.commit(prepared)
        self._commits += 1
        if self._commits >= COMMITS_BETWEEN_COMPACTIONS:
            self._commits = 0
            for index in self._live.writable():
                self._upkeep.compact(index, remaining)


def _name(sweep: Sweep) -> str:
    """The same for the same place of the same sweep: sent twice after a crash, it goes on once."""
    return hashlib.sha256(f"{sweep.run}\0{sweep.after}".encode()).hexdigest()


def _parts(messages: Sequence[Message]) -> Iterator[Part]:
    """Neighbouring prepared files together, up to so many chunks; every chore by itself."""
    part: Part = ([], [])
    chunks = 0
    for message in messages:
        asked = _asked(message)
        rows = asked.rows if isinstance(asked, Prepared) else 0
        if part[0] and (not isinstance(asked, Prepared) or chunks + rows > CHUNKS_A_COMMIT):
            yield part
            part, chunks = ([], []), 0
        part[0].append(message)
        if asked is not None:
            part[1].append(asked)
        chunks += rows
        if not isinstance(asked, Prepared):
            yield part
            part, chunks = ([], []), 0
    if part[0]:
        yield part


def _asked(message: Message) -> LaneMessage | None:
    """What a message asks for; None for one that nobody can read: what it was about is found by the sweep."""
    try:
        return lane_message(message.body)
    except MessageError as error:
        logger.error(error.sentence, message_id=message.id)
        return None
