"""Fresh buckets and queues on a server that speaks S3 and SQS, and the environment variables that name them."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import boto3

from tests.support.moto_server import CREDENTIALS

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client
    from types_boto3_sqs import SQSClient

_REGION = "us-east-1"


@dataclass(frozen=True, slots=True)
class Cloud:
    """What a deployed environment has; `environment` is what its functions and commands read."""

    url: str
    bucket: str
    index_bucket: str
    index: str
    ingest_queue_url: str
    commit_queue_url: str
    dead_letter_queue_url: str
    s3: S3Client
    sqs: SQSClient

    @property
    def environment(self) -> dict[str, str]:
        """The variables of docshelf, and those that lead boto3 and LanceDB to the server."""
        return {
            **CREDENTIALS,
            "AWS_ENDPOINT_URL": self.url,
            "DOCSHELF_BUCKET": self.bucket,
            "DOCSHELF_INDEX": self.index,
            "DOCSHELF_INGEST_QUEUE_URL": self.ingest_queue_url,
            "DOCSHELF_COMMIT_QUEUE_URL": self.commit_queue_url,
            "DOCSHELF_DEAD_LETTER_QUEUE_URL": self.dead_letter_queue_url,
        }

    def put(self, key: str, data: bytes | str) -> None:
        """Put a document, as a person would by other tools."""
        self.s3.put_object(Bucket=self.bucket, Key=key, Body=data.encode() if isinstance(data, str) else data)

    def remove(self, key: str) -> None:
        """Remove a document; in a versioned bucket that leaves a delete marker."""
        self.s3.delete_object(Bucket=self.bucket, Key=key)


def new_cloud(url: str, *, versioned: bool = False, visibility_seconds: int = 30, max_receives: int = 5) -> Cloud:
    """Make buckets and queues with names of their own. Messages go to the dead letter queue after `max_receives`."""
    name = f"docshelf-{uuid.uuid4().hex[:12]}"
    s3, sqs = clients(url)
    bucket, index_bucket = f"{name}-documents", f"{name}-index"
    for each in (bucket, index_bucket):
        s3.create_bucket(Bucket=each)
    if versioned:
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    dead = sqs.create_queue(QueueName=f"{name}-dead")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    ingest = sqs.create_queue(
        QueueName=f"{name}-ingest",
        Attributes={
            "VisibilityTimeout": str(visibility_seconds),
            "RedrivePolicy": json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": max_receives}),
        },
    )["QueueUrl"]
    commit = sqs.create_queue(
        QueueName=f"{name}-commit.fifo",
        Attributes={
            "FifoQueue": "true",
            "ContentBasedDeduplication": "true",
            "VisibilityTimeout": str(visibility_seconds),
        },
    )["QueueUrl"]
    return Cloud(url, bucket, index_bucket, f"s3://{index_bucket}/index", ingest, commit, dead, s3, sqs)


@cache
def clients(url: str) -> tuple[S3Client, SQSClient]:
    """Clients of the server that do not depend on the environment of the test."""
    session = boto3.session.Session(
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        region_name=_REGION,
    )
    return session.client("s3", endpoint_url=url), session.client("sqs", endpoint_url=url)
