"""From an event of the documents bucket to the commit lane: the two queues, and where their dead letters go."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.settings import Environment

COMMIT_RECEIVES = 1_000
"""High, because deliveries count for messages behind a failed one of their group too."""

VISIBILITY_TIMEOUTS = 6
"""How many times its function's timeout a message is hidden, as AWS asks for."""

_RETENTION = cdk.Duration.days(14)
_EVENTS = ["Object Created", "Object Deleted", "Object Restore Completed"]
"""What may change what the index should hold: docshelf.events reads any of them as "look at this key"."""


class Queues(Construct):
    """`ingest` gets the keys to look at, `commit` (FIFO) what the one writer is to do; each has its dead letters."""

    def __init__(self, scope: Construct, construct_id: str, *, environment: Environment, documents: s3.IBucket) -> None:
        super().__init__(scope, construct_id)
        self.ingest_dead_letters = self._queue("IngestDeadLetters")
        self.ingest = self._queue(
            "Ingest",
            visibility_timeout=cdk.Duration.seconds(VISIBILITY_TIMEOUTS * environment.ingest.timeout_seconds),
            dead_letter_queue=sqs.DeadLetterQueue(
                queue=self.ingest_dead_letters, max_receive_count=environment.ingest.max_receives
            ),
        )
        self.commit_dead_letters = self._queue("CommitDeadLetters", fifo=True)
        self.commit = self._queue(
            "Commit",
            fifo=True,
            content_based_deduplication=True,
            visibility_timeout=cdk.Duration.seconds(VISIBILITY_TIMEOUTS * environment.commit.timeout_seconds),
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.commit_dead_letters, max_receive_count=COMMIT_RECEIVES),
        )
        events.Rule(
            self,
            "Changes",
            description="Changes of the documents bucket, for the ingest queue",
            event_pattern=events.EventPattern(
                source=["aws.s3"], detail_type=_EVENTS, detail={"bucket": {"name": [documents.bucket_name]}}
            ),
            targets=[targets.SqsQueue(self.ingest)],
        )

    def _queue(
        self,
        name: str,
        *,
        fifo: bool | None = None,
        content_based_deduplication: bool | None = None,
        visibility_timeout: cdk.Duration | None = None,
        dead_letter_queue: sqs.DeadLetterQueue | None = None,
    ) -> sqs.Queue:
        return sqs.Queue(
            self,
            name,
            fifo=fifo,
            content_based_deduplication=content_based_deduplication,
            visibility_timeout=visibility_timeout,
            dead_letter_queue=dead_letter_queue,
            retention_period=_RETENTION,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
