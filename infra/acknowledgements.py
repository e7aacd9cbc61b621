"""What cdk-nag finds and we mean to have, each finding with its own reason."""

from __future__ import annotations

from collections.abc import Mapping

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from constructs import IConstruct

from infra.functions import Functions
from infra.settings import Environment
from infra.storage import INDEX_PREFIX, PREPARED_PREFIX, RECOGNISED_PREFIX, Storage

_OLDER_RUNTIME = (
    "Python 3.13 is what the layers are built and tested for; it is supported until June 2029, and every package "
    "has built wheels for it."
)

_UNPUBLISHED = "@aws-cdk/aws-lambda:snapStartRequirePublish"


def acknowledge(construct: IConstruct, reasons: Mapping[str, str]) -> None:
    """Accept findings below `construct`: `AwsSolutions-RULE`, or `…[FINDING]` for one of several, with its reason."""
    findings = [cdk.Acknowledgment(id=finding, reason=reason) for finding, reason in reasons.items()]
    cdk.Validations.of(construct).acknowledge(*findings)


def acknowledge_storage(storage: Storage) -> None:
    """Of the buckets."""
    for bucket, what in (
        (
            storage.documents,
            "what people read goes through the search function, whose log names each request",
        ),
        (storage.index, "only the functions reach it, and whatever it holds is made from the documents"),
    ):
        reason = f"Access logs would need a third bucket and cost more than the data: {what}."
        acknowledge(bucket, {"AwsSolutions-S1": f"{reason} For an audit switch on CloudTrail's data events."})


def acknowledge_functions(functions: Functions, storage: Storage, environment: Environment) -> None:
    """Of the functions: the runtime, rights on all objects of a prefix, and what the CDK says of SnapStart."""
    for each in (functions.ingest, functions.commit, functions.search, functions.signin):
        acknowledge(each.function, {"AwsSolutions-L1": _OLDER_RUNTIME})
    for served, settings in ((functions.search, environment.search), (functions.signin, environment.signin)):
        if settings.snap_start:
            acknowledge(served.function, {_UNPUBLISHED: "Requests go through an alias of a published version."})
    _acknowledge_rights(functions, storage, environment)


def _acknowledge_rights(functions: Functions, storage: Storage, environment: Environment) -> None:
    documents, index = storage.documents, storage.index
    acknowledge(
        functions.ingest,
        {
            _objects(documents, "*"): "A document may have any key; every one is read by this function.",
            _objects(index, f"{INDEX_PREFIX}/*"): "LanceDB names the files of the index itself; they are only read.",
            _objects(index, f"{PREPARED_PREFIX}*"): "Prepared files have random names; nothing else may be written.",
        },
    )
    if environment.recognises:
        acknowledge(
            functions.ingest,
            {
                "AwsSolutions-IAM5[Resource::*]": "Amazon Textract names no jobs that a right could be bound to.",
                _objects(
                    index, f"{RECOGNISED_PREFIX}*"
                ): "A record each document, named by a hash; nothing else there.",
            },
        )
    acknowledge(
        functions.commit,
        {
            _objects(documents, "*"): "A document may have any key; its version is looked at before it is committed.",
            _objects(index, f"{INDEX_PREFIX}/*"): "LanceDB names the files of the index itself; this is their writer.",
        },
    )
    acknowledge(
        functions.search,
        {_objects(index, f"{INDEX_PREFIX}/g*"): "LanceDB names the files of a generation itself; they are only read."},
    )


def _objects(bucket: s3.IBucket, objects: str) -> str:
    resource = bucket.node.default_child
    assert isinstance(resource, cdk.CfnElement)
    logical_id = cdk.Stack.of(bucket).get_logical_id(resource)
    return f"AwsSolutions-IAM5[Resource::<{logical_id}.Arn>/{objects}]"
