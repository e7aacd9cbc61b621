"""Recognising scans: what it needs is there where an environment wants it, and nothing of it elsewhere."""

from __future__ import annotations

import json

import pytest

from docshelf.events import keys_of
from docshelf.settings import CloudSettings, Limits
from infra.settings import Environment
from tests.infra.test_functions import in_lower_case, variables
from tests.infra.test_queues import policy_of, queue_id
from tests.infra.test_rights import INITIALS, arns, rights
from tests.support.assembly import Assembly
from tests.support.iam_policy import Rights
from tests.support.template import ACCOUNT, Template

TOPIC, SUBSCRIPTION = "AWS::SNS::Topic", "AWS::SNS::Subscription"
WITH, WITHOUT = "everything", "dev"

# What ingest alone may do, where recognition is on.
TABLE = [
    ("textract:StartDocumentTextDetection", "*"),
    ("textract:GetDocumentTextDetection", "*"),
    ("s3:PutObject", "{index}/index/ocr/0123.json"),
]


@pytest.fixture
def made(assembly: Assembly) -> Template:
    """The template of an environment that recognises scans."""
    return assembly.template(WITH)


def test_an_environment_recognises_nothing_unless_it_says_so(template: Template, environment: Environment) -> None:
    assert environment.recognises is (environment.name == WITH)
    assert bool(template.ids(TOPIC, "Recognition")) is environment.recognises
    text = json.dumps(template.content)
    for word in ("textract", "DOCSHELF_OCR", "iam:PassRole", "index/ocr/"):
        assert (word in text) is environment.recognises, word


@pytest.mark.parametrize(("action", "resource"), TABLE, ids=[action for action, _ in TABLE])
def test_ingest_alone_may_recognise_and_keep_what_it_gives(
    template: Template, environment: Environment, action: str, resource: str
) -> None:
    place = resource.format(**arns(template))
    allowed = "".join(one for one in INITIALS if rights(template, INITIALS[one]).allows(action, place))
    ingest = "I" if environment.recognises else ""
    commit = "C" if action.startswith("s3:") else ""  # which writes everything of the index
    assert allowed == f"{ingest}{commit}"


def test_what_was_recognised_goes_with_its_document(made: Template) -> None:
    ingest, index = rights(made, "Ingest"), arns(made)["index"]
    assert ingest.allows("s3:DeleteObject", f"{index}/index/ocr/0123.json")
    assert not ingest.allows("s3:DeleteObject", f"{index}/index/prepared/0123.arrow")
    search = rights(made, "Search")
    assert not search.allows("s3:GetObject", f"{index}/index/ocr/0123.json")


def test_ingest_hands_over_one_role_to_textract_alone(made: Template) -> None:
    role = made.id("AWS::IAM::Role", "Recognition")
    (statement,) = [one for one in rights(made, "Ingest").statements if one["Action"] == "iam:PassRole"]
    assert statement["Resource"] == made.arn_of(role)
    assert statement["Condition"] == {"StringEquals": {"iam:PassedToService": "textract.amazonaws.com"}}


def test_textract_publishes_to_the_topic_for_jobs_of_the_account_and_does_nothing_else(made: Template) -> None:
    role = made.id("AWS::IAM::Role", "Recognition")
    of_role = Rights.of_role(made, role)
    assert of_role.actions() == ["sns:Publish"]
    assert of_role.resources() == [made.arn_of(made.id(TOPIC, "Recognition"))]
    (trust,) = made.properties(role)["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "textract.amazonaws.com"}
    assert trust["Condition"] == {
        "StringEquals": {"aws:SourceAccount": ACCOUNT},
        "ArnLike": {"aws:SourceArn": f"arn:aws:textract:*:{ACCOUNT}:*"},
    }


def test_the_topic_is_encrypted_takes_tls_only_and_tells_the_ingest_queue(made: Template) -> None:
    topic = made.id(TOPIC, "Recognition")
    assert made.properties(topic)["KmsMasterKeyId"].endswith("alias/aws/sns")
    (policy,) = made.ids("AWS::SNS::TopicPolicy", "Recognition")
    (denied,) = made.properties(policy)["PolicyDocument"]["Statement"]
    assert (denied["Effect"], denied["Condition"]) == ("Deny", {"Bool": {"aws:SecureTransport": "false"}})
    (subscription,) = [
        one for each in made.ids(SUBSCRIPTION) if (one := made.properties(each))["TopicArn"] == made.arn_of(topic)
    ]
    assert subscription["Protocol"] == "sqs"
    assert subscription["Endpoint"] == made.arn_of(queue_id(made, "Ingest"))
    assert subscription["RawMessageDelivery"] is True


def test_only_the_topic_and_the_rule_may_send_to_the_ingest_queue_from_outside(made: Template) -> None:
    allowed = [one for one in policy_of(made, "Ingest") if one["Effect"] == "Allow"]
    senders = {one["Principal"]["Service"]: one["Condition"]["ArnEquals"]["aws:SourceArn"] for one in allowed}
    assert senders == {
        "events.amazonaws.com": made.arn_of(made.id("AWS::Events::Rule", "Queues")),
        "sns.amazonaws.com": made.arn_of(made.id(TOPIC, "Recognition")),
    }


def test_ingest_is_told_where_textract_publishes_and_both_writers_what_is_recognised(
    made: Template, assembly: Assembly
) -> None:
    settings = CloudSettings.from_environment(in_lower_case(variables(made, "Ingest")))
    assert settings.ocr_topic == made.arn_of(made.id(TOPIC, "Recognition"))
    assert settings.ocr_role == made.arn_of(made.id("AWS::IAM::Role", "Recognition"))
    for function in ("Ingest", "Commit"):
        limits = Limits.from_environment(variables(made, function))
        assert (limits.ocr, limits.ocr_max_pages) == ("textract", assembly.environment(WITH).ocr_max_pages)
    assert not Limits.from_environment(variables(assembly.template(WITHOUT), "Ingest")).recognises


def test_the_end_of_a_job_names_the_document_to_look_at() -> None:
    location = {"S3ObjectName": "scans/a b.pdf", "S3Bucket": "shelf"}
    body = {"JobId": "j", "Status": "SUCCEEDED", "API": "StartDocumentTextDetection", "DocumentLocation": location}
    assert keys_of(json.dumps(body), "shelf") == ("scans/a b.pdf",)
