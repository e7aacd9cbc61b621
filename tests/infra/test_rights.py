"""What the functions may do, decided as IAM decides it."""

from __future__ import annotations

import re

import pytest

from tests.support.iam_policy import Rights
from tests.support.template import Template

FUNCTIONS = ["Ingest", "Commit", "Search", "Signin"]

# "{documents}" and the like are the ARNs of this environment. The functions that may, by the initial.
TABLE = {
    # documents
    ("s3:GetObject", "{documents}/handbook/a b.pdf"): "IC",
    ("s3:ListBucket", "{documents}"): "IC",
    ("s3:PutObject", "{documents}/handbook/a.md"): "",
    ("s3:DeleteObject", "{documents}/handbook/a.md"): "",
    ("s3:DeleteObjectVersion", "{documents}/handbook/a.md"): "",
    ("s3:PutBucketPolicy", "{documents}"): "",
    ("s3:DeleteBucket", "{documents}"): "",
    # the index
    ("s3:GetObject", "{index}/index/current.json"): "ICS",
    ("s3:GetObject", "{index}/index/g0001/chunks.lance/data/0.lance"): "ICS",
    ("s3:GetObject", "{index}/index/prepared/0123.arrow"): "IC",
    ("s3:GetObject", "{index}/elsewhere"): "",
    ("s3:ListBucket", "{index}"): "ICS",
    ("s3:PutObject", "{index}/index/prepared/0123.arrow"): "IC",
    ("s3:PutObject", "{index}/index/current.json"): "C",
    ("s3:PutObject", "{index}/index/g0001/claim"): "C",
    ("s3:PutObject", "{index}/index/g0001/chunks.lance/_versions/1.manifest"): "C",
    ("s3:PutObject", "{index}/elsewhere"): "",
    ("s3:DeleteObject", "{index}/index/prepared/0123.arrow"): "C",
    ("s3:DeleteObject", "{index}/index/g0001/chunks.lance/data/0.lance"): "C",
    ("s3:AbortMultipartUpload", "{index}/index/g0001/chunks.lance/data/0.lance"): "C",
    ("s3:PutLifecycleConfiguration", "{index}"): "",
    # queues
    ("sqs:ReceiveMessage", "{ingest_queue}"): "I",
    ("sqs:DeleteMessage", "{ingest_queue}"): "I",
    ("sqs:ChangeMessageVisibility", "{ingest_queue}"): "I",
    ("sqs:GetQueueAttributes", "{ingest_queue}"): "IC",
    ("sqs:SendMessage", "{ingest_queue}"): "IC",
    ("sqs:PurgeQueue", "{ingest_queue}"): "",
    ("sqs:ReceiveMessage", "{ingest_dead_letters}"): "C",
    ("sqs:DeleteMessage", "{ingest_dead_letters}"): "C",
    ("sqs:SendMessage", "{ingest_dead_letters}"): "",
    ("sqs:ReceiveMessage", "{commit_queue}"): "C",
    ("sqs:DeleteMessage", "{commit_queue}"): "C",
    ("sqs:ChangeMessageVisibility", "{commit_queue}"): "C",
    ("sqs:GetQueueAttributes", "{commit_queue}"): "C",
    ("sqs:SendMessage", "{commit_queue}"): "IC",
    ("sqs:ReceiveMessage", "{commit_dead_letters}"): "",
    ("sqs:DeleteMessage", "{commit_dead_letters}"): "",
    # the secret
    ("secretsmanager:GetSecretValue", "{sealing_key}"): "G",
    ("secretsmanager:GetSecretValue", "{sealing_key}-another"): "",
    ("secretsmanager:PutSecretValue", "{sealing_key}"): "",
    ("secretsmanager:ListSecrets", "*"): "",
    # whatever else
    ("lambda:InvokeFunction", "arn:aws:lambda:eu-central-1:123456789012:function:other"): "",
    ("iam:PassRole", "arn:aws:iam::123456789012:role/other"): "",
    ("sts:AssumeRole", "arn:aws:iam::123456789012:role/other"): "",
    ("cognito-idp:AdminCreateUser", "arn:aws:cognito-idp:eu-central-1:123456789012:userpool/other"): "",
    ("kms:Decrypt", "arn:aws:kms:eu-central-1:123456789012:key/other"): "",
    ("logs:CreateLogGroup", "arn:aws:logs:eu-central-1:123456789012:log-group:other"): "",
}
OF_NO_RESOURCE = [(f"textract:{operation}DocumentTextDetection", "*") for operation in ("Start", "Get")]
"""Rights that AWS knows for all resources only."""

INITIALS = {"I": "Ingest", "C": "Commit", "S": "Search", "G": "Signin"}


def rights(template: Template, function: str) -> Rights:
    role = template.one("AWS::Lambda::Function", f"Functions/{function}")["Role"]
    return Rights.of_role(template, role.rpartition("/")[2])


def arns(template: Template) -> dict[str, str]:
    places = {
        "documents": ("AWS::S3::Bucket", "Storage/Documents"),
        "index": ("AWS::S3::Bucket", "Storage/Index"),
        "ingest_queue": ("AWS::SQS::Queue", "Queues/Ingest"),
        "ingest_dead_letters": ("AWS::SQS::Queue", "Queues/IngestDeadLetters"),
        "commit_queue": ("AWS::SQS::Queue", "Queues/Commit"),
        "commit_dead_letters": ("AWS::SQS::Queue", "Queues/CommitDeadLetters"),
        "sealing_key": ("AWS::SecretsManager::Secret", "SealingKey"),
    }
    return {place: template.arn_of(template.id(kind, path)) for place, (kind, path) in places.items()}


@pytest.mark.parametrize(("action", "resource"), TABLE, ids=[" ".join(line) for line in TABLE])
def test_a_function_may_do_what_it_does_and_nothing_else(template: Template, action: str, resource: str) -> None:
    place = resource.format(**arns(template))
    allowed = "".join(each for each in INITIALS if rights(template, INITIALS[each]).allows(action, place))
    assert allowed == TABLE[action, resource]


def test_search_lists_the_generations_of_the_index_and_not_what_is_being_prepared(template: Template) -> None:
    search, index = rights(template, "Search"), arns(template)["index"]
    assert search.allows("s3:ListBucket", index, s3__prefix="index/g0001/chunks.lance/_versions/")
    assert search.allows("s3:ListBucket", index, s3__prefix="index/current.json")
    assert search.allows("s3:ListBucket", index), "without it a missing object would be a 403"
    assert not search.allows("s3:ListBucket", index, s3__prefix="index/prepared/")
    assert not search.allows("s3:ListBucket", index, s3__prefix="")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_writes_no_log_but_its_own(template: Template, function: str) -> None:
    for other in FUNCTIONS:
        log = template.arn_of(template.id("AWS::Logs::LogGroup", f"Functions/{other}")).removesuffix("*")
        for action in ("logs:CreateLogStream", "logs:PutLogEvents"):
            assert rights(template, function).allows(action, f"{log}log-stream:2026") is (function == other)


def test_no_role_of_the_stack_has_a_wildcard_for_an_action_or_for_every_resource(template: Template) -> None:
    for role in template.ids("AWS::IAM::Role"):
        of_role = Rights.of_role(template, role)
        assert [action for action in of_role.actions() if re.search(r"[*?]", action)] == [], role
        unnamed = [one for one in of_role.unused([]) if not re.match(r"arn:aws:\w+:[^*]*:[^*:]+", one[1])]
        assert [one for one in unnamed if one not in OF_NO_RESOURCE] == [], role


def test_only_the_services_that_use_them_may_take_the_roles(template: Template) -> None:
    for role in template.ids("AWS::IAM::Role"):
        (statement,) = template.properties(role)["AssumeRolePolicyDocument"]["Statement"]
        of_others = {"Schedules": "scheduler.amazonaws.com", "Recognition": "textract.amazonaws.com"}
        service = next((each for name, each in of_others.items() if role.startswith(name)), "lambda.amazonaws.com")
        assert statement["Principal"] == {"Service": service}
        assert statement["Action"] == "sts:AssumeRole"


def test_the_scheduler_may_send_to_the_commit_queue_and_nothing_else(template: Template) -> None:
    of_role = Rights.of_role(template, template.id("AWS::IAM::Role", "Schedules"))
    assert of_role.actions() == ["sqs:SendMessage"]
    assert of_role.resources() == [arns(template)["commit_queue"]]
