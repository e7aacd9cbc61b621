"""The ingest function: events in, prepared documents and messages to the commit lane out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from docshelf.aws.objects import ObjectStore
from docshelf.aws.queues import Queue
from docshelf.cloud.places import remedy
from docshelf.documents.sandbox.process import ParserProcess
from docshelf.index.live import LiveIndex
from docshelf.ingest.batch import Batch
from docshelf.ingest.embedders import Embedders
from docshelf.ingest.invocation import Invocation
from docshelf.ingest.targets import targets_of
from docshelf.observability import Metric, emit
from docshelf.ocr.recogniser import recogniser_of
from docshelf.remaining_time import RemainingSeconds
from docshelf.settings import CloudSettings, Limits
from docshelf.sources.bucket import BucketSource
from docshelf.sqs_batch import answer, messages_of


class Ingest:
    """One instance of the function; it keeps its model, its parser and its view of the index between invocations."""

    def __init__(self, settings: CloudSettings, limits: Limits) -> None:
        """Load the model. Buckets, queues and the index are first used by an invocation.

        Raises:
            ModelUnavailableError, InvalidArgumentError: the model, or an address in the settings, cannot be used.
        """
        self._settings = settings
        self._limits = limits
        self._source = BucketSource(ObjectStore(settings.bucket))
        self._store = ObjectStore.from_uri(settings.index)
        self._ingest_queue = Queue(settings.ingest_queue_url)
        self._commit_queue = Queue(settings.commit_queue_url)
        self._live = LiveIndex(settings.index, remedy=remedy(settings.index))
        self._embedders = Embedders(settings.model)
        self._parser = ParserProcess(limits)
        self._recogniser = recogniser_of(settings, limits, self._source, self._store)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """An instance with the settings of `environment`; raises SettingsError besides."""
        return cls(CloudSettings.from_environment(environment), Limits.from_environment(environment))

    def handle(self, event: Mapping[str, object], remaining: RemainingSeconds) -> dict[str, object]:
        """Look at every key that the batch names; return the messages to deliver again.

        Raises:
            MessageError: the event is not of SQS.
            IndexMismatchError: the index was made with a model that is not at hand; nothing was done.
            IndexUnavailableError, IndexCorruptError: the index cannot be opened; nothing was done.
            StoreDeniedError, StoreRefusedError: the function lacks a permission, or a bucket or queue is missing.
        """
        batch = Batch.read(messages_of(event), self._settings.bucket)
        tasks = batch.tasks()
        invocation = Invocation(
            self._source,
            self._store,
            self._commit_queue,
            self._ingest_queue,
            targets_of(self._live, self._embedders, self._parser, self._limits) if tasks else (),
            self._settings,
            self._limits,
            remaining,
            recogniser=self._recogniser,
        )
        invocation.run(tasks)
        failed = batch.failed(invocation.done)
        emit({Metric.PREPARED: len(invocation.done), Metric.RETURNED: len(failed)})
        return answer(failed, self._ingest_queue)

    def close(self) -> None:
        """End the parser's process and the model's threads."""
        self._parser.close()
        self._embedders.close()
