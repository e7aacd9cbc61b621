"""The two buckets: the documents, which are the truth, and the index, which follows them."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.settings import Environment

INDEX_PREFIX = "index"
"""Where the index and its prepared files are in the index bucket."""

PREPARED_PREFIX = f"{INDEX_PREFIX}/prepared/"
"""Where ingest puts what the commit lane takes up."""

RECOGNISED_PREFIX = f"{INDEX_PREFIX}/ocr/"
"""Where ingest keeps what was recognised of scans, and how often that was paid for."""

KEEP_PREPARED_DAYS = 15
"""A day more than a message lives that may name such a file; docshelf's own default."""

_ABORT_UPLOADS_DAYS = 7


class Storage(Construct):
    """The buckets `documents` and `index`: private, over TLS only, encrypted by S3.

    The documents keep their replaced versions for `keep_replaced_days`. The index has none: LanceDB writes and deletes
    files all the time, so that replaced versions would soon outweigh the index and their delete markers slow the
    listings of every search, and an index is made anew from the documents anyway.
    """

    def __init__(self, scope: Construct, construct_id: str, *, environment: Environment) -> None:
        super().__init__(scope, construct_id)
        self.documents = self._bucket(
            "Documents",
            environment,
            versioned=True,
            lifecycle_rules=[
                s3.LifecycleRule(
                    noncurrent_version_expiration=cdk.Duration.days(environment.keep_replaced_days),
                    expired_object_delete_marker=True,
                ),
                _unfinished_uploads(),
            ],
        )
        self._send_events()
        self.index = self._bucket(
            "Index",
            environment,
            versioned=False,
            lifecycle_rules=[
                s3.LifecycleRule(prefix=PREPARED_PREFIX, expiration=cdk.Duration.days(KEEP_PREPARED_DAYS)),
                _unfinished_uploads(),
            ],
        )

    @property
    def index_address(self) -> str:
        """The index as docshelf's settings have it, `s3://BUCKET/PREFIX`."""
        return f"s3://{self.index.bucket_name}/{INDEX_PREFIX}"

    def _bucket(
        self, name: str, environment: Environment, *, versioned: bool, lifecycle_rules: list[s3.LifecycleRule]
    ) -> s3.Bucket:
        retain = environment.retain_data
        return s3.Bucket(
            self,
            name,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            versioned=versioned,
            lifecycle_rules=lifecycle_rules,
            removal_policy=cdk.RemovalPolicy.RETAIN if retain else cdk.RemovalPolicy.DESTROY,
            auto_delete_objects=not retain,
        )

    def _send_events(self) -> None:
        # The construct's own switch would add a function that sets this by a call.
        bucket = self.documents.node.default_child
        assert isinstance(bucket, s3.CfnBucket)
        bucket.notification_configuration = s3.CfnBucket.NotificationConfigurationProperty(
            event_bridge_configuration=s3.CfnBucket.EventBridgeConfigurationProperty(event_bridge_enabled=True)
        )


def _unfinished_uploads() -> s3.LifecycleRule:
    return s3.LifecycleRule(abort_incomplete_multipart_upload_after=cdk.Duration.days(_ABORT_UPLOADS_DAYS))
