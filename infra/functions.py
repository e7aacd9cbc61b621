"""The four functions, with what each is told and what each may do."""

from __future__ import annotations

from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_secretsmanager as secretsmanager
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.function_environment import (
    Identity,
    commit_variables,
    ingest_variables,
    search_variables,
    signin_variables,
)
from infra.function_layers import FunctionLayers
from infra.function_parts import Definition, DocshelfFunction, ServedFunction, Size
from infra.function_rights import commit_rights, ingest_rights, search_rights, signin_rights
from infra.queues import Queues
from infra.recognition import Recognition
from infra.settings import Environment
from infra.settings.parts import Search, Signin
from infra.storage import Storage

ANSWER_SECONDS = 29
"""The timeout of what answers requests: API Gateway gives up after 30."""

BATCH_MESSAGES = 10


class Functions(Construct):
    """`ingest` and `commit`, fed by their queues, and `search` and `signin`, each behind an alias."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        environment: Environment,
        storage: Storage,
        queues: Queues,
        recognition: Recognition | None,
        layers: FunctionLayers,
        identity: Identity,
        sealing_key: secretsmanager.ISecret,
    ) -> None:
        """Raises InfrastructureError where the variables of a function are too long."""
        super().__init__(scope, construct_id)
        self._environment = environment
        self.ingest = DocshelfFunction(
            self, "Ingest", environment=environment, definition=self._ingest(storage, queues, recognition, layers)
        )
        self.commit = DocshelfFunction(
            self, "Commit", environment=environment, definition=self._commit(storage, queues, layers)
        )
        self.search = ServedFunction(
            self, "Search", environment=environment, definition=self._search(storage, layers, identity)
        )
        self.signin = ServedFunction(
            self, "Signin", environment=environment, definition=self._signin(layers, identity, sealing_key)
        )
        _feed(self.ingest.function, queues.ingest, max_concurrency=environment.ingest.concurrency)
        # One message group: the queue itself keeps a second batch back.
        _feed(self.commit.function, queues.commit)

    def _ingest(
        self, storage: Storage, queues: Queues, recognition: Recognition | None, layers: FunctionLayers
    ) -> Definition:
        ingest = self._environment.ingest
        return Definition(
            ingest_variables(self._environment, storage, queues, recognition),
            ingest_rights(storage, queues, recognition),
            layers.with_model,
            Size(ingest.memory_mb, ingest.timeout_seconds, ingest.temporary_mb),
        )

    def _commit(self, storage: Storage, queues: Queues, layers: FunctionLayers) -> Definition:
        commit = self._environment.commit
        return Definition(
            commit_variables(self._environment, storage, queues),
            commit_rights(storage, queues),
            layers.without_model,
            Size(commit.memory_mb, commit.timeout_seconds, commit.temporary_mb),
        )

    def _search(self, storage: Storage, layers: FunctionLayers, identity: Identity) -> Definition:
        return Definition(
            search_variables(self._environment, storage, identity),
            search_rights(storage),
            layers.with_model,
            _answering(self._environment.search),
        )

    def _signin(self, layers: FunctionLayers, identity: Identity, sealing_key: secretsmanager.ISecret) -> Definition:
        return Definition(
            signin_variables(self._environment, identity),
            signin_rights(sealing_key),
            layers.without_model,
            _answering(self._environment.signin),
        )


def _answering(settings: Search | Signin) -> Size:
    return Size(
        settings.memory_mb,
        ANSWER_SECONDS,
        reserved_concurrency=settings.reserved_concurrency,
        snap_start=settings.snap_start,
    )


def _feed(function: lambda_.Function, queue: sqs.IQueue, *, max_concurrency: int | None = None) -> None:
    # Not by the event source of the queue, which would add rights of its own to the role.
    function.add_event_source_mapping(
        "Queue",
        event_source_arn=queue.queue_arn,
        batch_size=BATCH_MESSAGES,
        max_concurrency=max_concurrency,
        report_batch_item_failures=True,
    )
