"""What each function may do, statement by statement: no action is a wildcard, and of the resources those of Textract.

The statements follow the calls that docshelf makes. `s3:ListBucket` is what makes a missing object a 404 and not a 403.
"""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.queues import Queues
from infra.recognition import TEXTRACT, Recognition
from infra.storage import INDEX_PREFIX, PREPARED_PREFIX, RECOGNISED_PREFIX, Storage

_CONSUME = ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:GetQueueAttributes")
_DRAIN = ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
_SEND = ("sqs:SendMessage",)

_SEARCHED = (f"{INDEX_PREFIX}/current.json", f"{INDEX_PREFIX}/g*")
"""The pointer and the generations: what lies beside them, prepared files above all, is not for readers."""


def ingest_rights(storage: Storage, queues: Queues, recognition: Recognition | None) -> list[iam.PolicyStatement]:
    """Reads documents and the index; writes prepared files only, and messages; with `recognition` what it needs."""
    return [
        *_reads(storage.documents, "*"),
        *_reads(storage.index, f"{INDEX_PREFIX}/*"),
        _allow(["s3:PutObject"], storage.index.arn_for_objects(f"{PREPARED_PREFIX}*")),
        _allow([*_CONSUME, *_SEND], queues.ingest.queue_arn),
        _allow(_SEND, queues.commit.queue_arn),
        *(_recognition_rights(storage, recognition) if recognition else ()),
    ]


def _recognition_rights(storage: Storage, recognition: Recognition) -> list[iam.PolicyStatement]:
    """Starts and reads jobs, which have no names that a right could be bound to, and keeps what they gave."""
    pass_role = _allow(["iam:PassRole"], recognition.role.role_arn)
    pass_role.add_condition("StringEquals", {"iam:PassedToService": TEXTRACT})
    return [
        _allow(["textract:StartDocumentTextDetection", "textract:GetDocumentTextDetection"], "*"),
        pass_role,
        _allow(["s3:PutObject", "s3:DeleteObject"], storage.index.arn_for_objects(f"{RECOGNISED_PREFIX}*")),
    ]


def commit_rights(storage: Storage, queues: Queues) -> list[iam.PolicyStatement]:
    """Looks at documents; writes the index, alone; sends keys to ingest and takes its dead letters."""
    return [
        *_reads(storage.documents, "*"),
        *_reads(storage.index, f"{INDEX_PREFIX}/*"),
        _allow(
            ["s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"],
            storage.index.arn_for_objects(f"{INDEX_PREFIX}/*"),
        ),
        _allow([*_CONSUME, *_SEND], queues.commit.queue_arn),
        _allow([*_SEND, "sqs:GetQueueAttributes"], queues.ingest.queue_arn),
        _allow(_DRAIN, queues.ingest_dead_letters.queue_arn),
    ]


def search_rights(storage: Storage) -> list[iam.PolicyStatement]:
    """Reads the generations of the index."""
    list_bucket = _allow(["s3:ListBucket"], storage.index.bucket_arn)
    # Requests for one object and for the bucket's region have no prefix, and need the right as well.
    list_bucket.add_condition("StringLikeIfExists", {"s3:prefix": list(_SEARCHED)})
    return [list_bucket, _allow(["s3:GetObject"], *map(storage.index.arn_for_objects, _SEARCHED))]


def signin_rights(sealing_key: secretsmanager.ISecret) -> list[iam.PolicyStatement]:
    """Reads one secret."""
    return [_allow(["secretsmanager:GetSecretValue"], sealing_key.secret_arn)]


def role_of(
    function: str, scope: Construct, statements: Sequence[iam.PolicyStatement], log_group: logs.ILogGroup
) -> iam.Role:
    """A role for AWS Lambda with `statements` and the right to write the function's own log."""
    own_log = _allow(["logs:CreateLogStream", "logs:PutLogEvents"], log_group.log_group_arn)
    # Inline: the rights are there as soon as the role is, so that an event source does not find them missing.
    return iam.Role(
        scope,
        "Role",
        description=f"Of the docshelf function {function}",
        assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
        inline_policies={"rights": iam.PolicyDocument(statements=[*statements, own_log])},
    )


def _reads(bucket: s3.IBucket, objects: str) -> list[iam.PolicyStatement]:
    return [
        _allow(["s3:ListBucket"], bucket.bucket_arn),
        _allow(["s3:GetObject"], bucket.arn_for_objects(objects)),
    ]


def _allow(actions: Sequence[str], *resources: str) -> iam.PolicyStatement:
    return iam.PolicyStatement(actions=list(actions), resources=list(resources))
