"""A whole environment on this machine: buckets that tell of changes, the four functions, a front and a user pool."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event as Flag
from typing import TYPE_CHECKING

import pytest

from tests.support.cloud import Cloud, new_cloud
from tests.support.event_source import Event, EventSource, Habits, Invoke
from tests.support.lambda_runtime import LambdaRuntime
from tests.support.pipeline import PLENTY, pipeline
from tests.support.search_endpoint import MODEL
from tests.support.signin_endpoint import MACHINE_CLIENT, SigninEndpoint, signin_endpoint

if TYPE_CHECKING:
    from types_boto3_s3.literals import EventType
    from types_boto3_s3.type_defs import QueueConfigurationTypeDef

Access = Mapping[str, Sequence[str]]
EVERYTHING: Access = {"*": ["*"]}
_CHANGES: tuple[EventType, ...] = ("s3:ObjectCreated:*", "s3:ObjectRemoved:*")


@dataclass(frozen=True, slots=True)
class RunningEnvironment:
    """What a deployment would tell of it. While `indexing` is not set, the writing functions do nothing."""

    endpoint: SigninEndpoint
    cloud: Cloud
    indexing: Flag
    search_variables: Mapping[str, str]
    log: Path

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let the index follow nothing for the block."""
        self.indexing.clear()
        try:
            yield
        finally:
            self.indexing.set()

    @contextmanager
    def telling_of(self, *events: EventType) -> Iterator[None]:
        """Let the bucket tell of these events alone for the block."""
        _tell_of(self.cloud, *events)
        try:
            yield
        finally:
            _tell_of(self.cloud, *_CHANGES)

    @contextmanager
    def searching(self, **changed: str) -> Iterator[None]:
        """Have another instance of the search function, with changed variables, answer for the block."""
        before = self.endpoint.functions["search"]
        with LambdaRuntime("search", {**self.search_variables, **changed}, self.log) as runtime:
            self.endpoint.functions["search"] = runtime
            try:
                yield
            finally:
                self.endpoint.functions["search"] = before


@contextmanager
def running_environment(moto_url: str, directory: Path, access: Access = EVERYTHING) -> Iterator[RunningEnvironment]:
    """The environment, empty, for the block; the test's own environment names its buckets. Logs go to `directory`."""
    cloud = new_cloud(moto_url)
    _tell_of(cloud, *_CHANGES)
    indexing = Flag()
    indexing.set()
    with ExitStack() as ends:
        patch = ends.enter_context(pytest.MonkeyPatch.context())
        for name, value in cloud.environment.items():
            patch.setenv(name, value)
        endpoint = ends.enter_context(signin_endpoint(directory))
        search = {
            **cloud.environment,
            **MODEL,
            **endpoint.issuer.environment,
            "DOCSHELF_CLIENT_IDS": MACHINE_CLIENT,
            "DOCSHELF_ACCESS": json.dumps(access),
        }
        log = directory / "search.log"
        runtime = ends.enter_context(LambdaRuntime("search", search, log))
        endpoint.functions["search"] = runtime
        functions = ends.enter_context(pipeline(cloud))
        for url, handle in (
            (cloud.ingest_queue_url, functions.ingest.handle),
            (cloud.commit_queue_url, functions.lane.handle),
        ):
            ends.enter_context(EventSource(cloud.sqs, url, [_when(indexing, handle)], random.Random(1), Habits()))
        ends.callback(indexing.set)
        yield RunningEnvironment(endpoint, cloud, indexing, search, log)


def _tell_of(cloud: Cloud, *events: EventType) -> None:
    attributes = cloud.sqs.get_queue_attributes(QueueUrl=cloud.ingest_queue_url, AttributeNames=["QueueArn"])
    telling: QueueConfigurationTypeDef = {"QueueArn": attributes["Attributes"]["QueueArn"], "Events": events}
    cloud.s3.put_bucket_notification_configuration(
        Bucket=cloud.bucket, NotificationConfiguration={"QueueConfigurations": [telling]}
    )


def _when(indexing: Flag, handle: Callable[[Event, Callable[[], float]], object]) -> Invoke:
    def invoke(event: Event) -> object:
        indexing.wait()
        return handle(event, lambda: PLENTY)

    return invoke
