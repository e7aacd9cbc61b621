"""The buckets: private, over TLS, encrypted, and gone or kept as the environment says."""

from __future__ import annotations

from typing import Any

import pytest

from docshelf.ingest.writing import PREPARED_PREFIX
from docshelf.settings import CloudSettings
from infra.settings import Environment
from infra.storage import INDEX_PREFIX, KEEP_PREPARED_DAYS
from tests.support.template import Template

BUCKETS = ["Storage/Documents", "Storage/Index"]


def bucket(template: Template, path: str) -> dict[str, Any]:
    return template.one("AWS::S3::Bucket", path)


def rules(template: Template, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = bucket(template, path)["LifecycleConfiguration"]["Rules"]
    assert {rule["Status"] for rule in found} == {"Enabled"}
    return found


@pytest.mark.parametrize("path", BUCKETS)
def test_a_bucket_is_private_and_encrypted(template: Template, path: str) -> None:
    made = bucket(template, path)
    assert set(made["PublicAccessBlockConfiguration"].values()) == {True}
    assert len(made["PublicAccessBlockConfiguration"]) == 4
    assert made["OwnershipControls"]["Rules"] == [{"ObjectOwnership": "BucketOwnerEnforced"}]
    (encryption,) = made["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert encryption["ServerSideEncryptionByDefault"] == {"SSEAlgorithm": "AES256"}


@pytest.mark.parametrize("path", BUCKETS)
def test_a_bucket_refuses_requests_without_tls_and_old_versions_of_it(template: Template, path: str) -> None:
    policy = template.one("AWS::S3::BucketPolicy", path)
    denied = [one for one in policy["PolicyDocument"]["Statement"] if one["Effect"] == "Deny"]
    arn = template.arn_of(template.id("AWS::S3::Bucket", path))
    for one in denied:
        assert one["Principal"] == {"AWS": "*"}
        assert one["Action"] == "s3:*"
        assert one["Resource"] == [arn, f"{arn}/*"]
    assert [one["Condition"] for one in denied] == [
        {"Bool": {"aws:SecureTransport": "false"}},
        {"NumericLessThan": {"s3:TlsVersion": 1.2}},
    ]


@pytest.mark.parametrize("path", BUCKETS)
def test_nobody_outside_of_the_stack_is_let_into_a_bucket(template: Template, path: str) -> None:
    policy = template.one("AWS::S3::BucketPolicy", path)
    roles = {template.arn_of(role) for role in template.ids("AWS::IAM::Role")}
    allowed = [one["Principal"] for one in policy["PolicyDocument"]["Statement"] if one["Effect"] == "Allow"]
    assert {principal["AWS"] for principal in allowed} <= roles


def test_replaced_documents_are_kept_and_then_removed(template: Template, environment: Environment) -> None:
    assert bucket(template, "Storage/Documents")["VersioningConfiguration"] == {"Status": "Enabled"}
    replaced, unfinished = rules(template, "Storage/Documents")
    assert replaced["NoncurrentVersionExpiration"] == {"NoncurrentDays": environment.keep_replaced_days}
    assert replaced["ExpiredObjectDeleteMarker"] is True
    assert not {"Prefix", "ExpirationInDays"} & replaced.keys(), "no document expires by itself"
    assert unfinished["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 7}


def test_of_the_index_only_forgotten_prepared_files_expire(template: Template) -> None:
    assert "VersioningConfiguration" not in bucket(template, "Storage/Index")
    prepared, unfinished = rules(template, "Storage/Index")
    assert (prepared["Prefix"], prepared["ExpirationInDays"]) == (f"{INDEX_PREFIX}/{PREPARED_PREFIX}", 15)
    assert "ExpirationInDays" not in unfinished
    assert unfinished["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 7}


def test_prepared_files_are_kept_as_long_as_docshelf_does_by_itself() -> None:
    assert CloudSettings("b", "i", "q", "c").keep_prepared_days == KEEP_PREPARED_DAYS


def test_the_documents_bucket_tells_eventbridge_of_its_changes(template: Template) -> None:
    notifications = bucket(template, "Storage/Documents")["NotificationConfiguration"]
    assert notifications == {"EventBridgeConfiguration": {"EventBridgeEnabled": True}}


@pytest.mark.parametrize("path", BUCKETS)
def test_buckets_outlive_the_stack_where_data_are_retained(
    template: Template, environment: Environment, path: str
) -> None:
    resource = template.resources[template.id("AWS::S3::Bucket", path)]
    wanted = "Retain" if environment.retain_data else "Delete"
    assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == (wanted, wanted)


@pytest.mark.parametrize("path", BUCKETS)
def test_buckets_are_emptied_before_they_are_deleted_and_only_then(
    template: Template, environment: Environment, path: str
) -> None:
    emptied = [template.properties(one)["BucketName"] for one in template.ids("Custom::S3AutoDeleteObjects", path)]
    assert emptied == ([] if environment.retain_data else [template.id("AWS::S3::Bucket", path)])


def test_what_empties_buckets_leaves_no_log_and_may_write_no_other(
    template: Template, environment: Environment
) -> None:
    handlers = template.ids("AWS::Lambda::Function", "Custom::S3AutoDeleteObjectsCustomResourceProvider")
    assert bool(handlers) is not environment.retain_data
    for handler in handlers:
        log = template.properties(handler)["LoggingConfig"]["LogGroup"]
        assert template.resources[log]["DeletionPolicy"] == "Delete"
        role = template.one("AWS::IAM::Role", "Custom::S3AutoDeleteObjectsCustomResourceProvider")
        assert "ManagedPolicyArns" not in role
        (policy,) = role["Policies"]
        (statement,) = policy["PolicyDocument"]["Statement"]
        assert statement["Resource"] == template.arn_of(log)
