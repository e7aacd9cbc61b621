"""From an event of the bucket to the functions, and what happens to messages that fail."""

from __future__ import annotations

import json
from typing import Any

import pytest

from docshelf.events import keys_of
from docshelf.ingest.writing import GROUP
from docshelf.messages import Maintain, Sweep, lane_message
from docshelf.settings import CloudSettings
from infra.settings import Environment
from tests.support.template import Template

QUEUES = ["Ingest", "IngestDeadLetters", "Commit", "CommitDeadLetters"]
FOURTEEN_DAYS = 14 * 24 * 3_600


def queue(template: Template, name: str) -> dict[str, Any]:
    return template.properties(queue_id(template, name))


def queue_id(template: Template, name: str) -> str:
    return template.id("AWS::SQS::Queue", f"Queues/{name}")


def source_of(template: Template, function: str) -> dict[str, Any]:
    return template.one("AWS::Lambda::EventSourceMapping", f"Functions/{function}")


def policy_of(template: Template, name: str) -> list[dict[str, Any]]:
    policy = template.one("AWS::SQS::QueuePolicy", f"Queues/{name}")
    assert policy["Queues"] == [template.resolve({"Ref": queue_id(template, name)})]
    statements: list[dict[str, Any]] = policy["PolicyDocument"]["Statement"]
    return statements


@pytest.mark.parametrize("each", QUEUES)
def test_a_queue_is_encrypted_keeps_two_weeks_and_refuses_requests_without_tls(template: Template, each: str) -> None:
    made = queue(template, each)
    assert made["SqsManagedSseEnabled"] is True
    assert made["MessageRetentionPeriod"] == FOURTEEN_DAYS
    denied = [one for one in policy_of(template, each) if one["Effect"] == "Deny"]
    assert [(one["Action"], one["Condition"]) for one in denied] == [
        ("sqs:*", {"Bool": {"aws:SecureTransport": "false"}})
    ]


def test_every_event_that_docshelf_reads_reaches_the_ingest_queue_and_no_other_bucket_s(template: Template) -> None:
    rule = template.one("AWS::Events::Rule", "Queues")
    bucket = template.id("AWS::S3::Bucket", "Storage/Documents")
    assert rule["State"] == "ENABLED"
    assert [target["Arn"] for target in rule["Targets"]] == [template.arn_of(queue_id(template, "Ingest"))]
    assert "Input" not in rule["Targets"][0]
    assert "InputTransformer" not in rule["Targets"][0]
    pattern = rule["EventPattern"]
    assert set(pattern) == {"source", "detail-type", "detail"}
    assert pattern["detail"] == {"bucket": {"name": [bucket]}}
    assert pattern["detail-type"] == ["Object Created", "Object Deleted", "Object Restore Completed"]
    for kind in pattern["detail-type"]:
        detail = {"bucket": {"name": bucket}, "object": {"key": "a b.md"}}
        event = {"source": pattern["source"][0], "detail-type": kind, "detail": detail}
        assert keys_of(json.dumps(event), bucket) == ("a b.md",)


def test_only_the_rule_may_send_to_the_ingest_queue_from_outside(template: Template, environment: Environment) -> None:
    rule = template.arn_of(template.id("AWS::Events::Rule", "Queues"))
    allowed, *others = [one for one in policy_of(template, "Ingest") if one["Effect"] == "Allow"]
    assert len(others) == environment.recognises, "tests/infra/test_recognition.py says of it who it is"
    assert allowed["Principal"] == {"Service": "events.amazonaws.com"}
    assert allowed["Condition"] == {"ArnEquals": {"aws:SourceArn": rule}}
    assert allowed["Resource"] == template.arn_of(queue_id(template, "Ingest"))


@pytest.mark.parametrize("other", ["IngestDeadLetters", "Commit", "CommitDeadLetters"])
def test_nobody_is_let_into_another_queue_but_by_a_role(template: Template, other: str) -> None:
    assert [one["Effect"] for one in policy_of(template, other)] == ["Deny"]


def test_messages_that_fail_end_as_dead_letters(template: Template, environment: Environment) -> None:
    ingest, commit = queue(template, "Ingest")["RedrivePolicy"], queue(template, "Commit")["RedrivePolicy"]
    assert ingest == {
        "deadLetterTargetArn": template.arn_of(queue_id(template, "IngestDeadLetters")),
        "maxReceiveCount": environment.ingest.max_receives,
    }
    assert commit == {
        "deadLetterTargetArn": template.arn_of(queue_id(template, "CommitDeadLetters")),
        "maxReceiveCount": 1_000,
    }


def test_the_commit_lane_is_fifo_with_its_dead_letters(template: Template) -> None:
    assert queue(template, "Commit")["ContentBasedDeduplication"] is True
    assert [queue(template, name).get("FifoQueue", False) for name in QUEUES] == [False, False, True, True]


@pytest.mark.parametrize("function", ["Ingest", "Commit"])
def test_a_message_stays_hidden_for_six_timeouts_of_its_function(template: Template, function: str) -> None:
    timeout = template.one("AWS::Lambda::Function", f"Functions/{function}")["Timeout"]
    assert queue(template, function)["VisibilityTimeout"] >= 6 * timeout


@pytest.mark.parametrize("function", ["Ingest", "Commit"])
def test_a_function_is_fed_by_its_queue_and_may_return_single_messages(template: Template, function: str) -> None:
    source = source_of(template, function)
    assert source["EventSourceArn"] == template.arn_of(queue_id(template, function))
    assert source["FunctionName"] == template.id("AWS::Lambda::Function", f"Functions/{function}")
    assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert source["BatchSize"] == 10
    assert source.get("Enabled", True) is True


def test_ingest_runs_as_often_at_once_as_the_environment_says(template: Template, environment: Environment) -> None:
    assert source_of(template, "Ingest")["ScalingConfig"] == {"MaximumConcurrency": environment.ingest.concurrency}


def test_the_chores_are_messages_that_the_lane_understands(template: Template, environment: Environment) -> None:
    chores = {}
    for schedule in template.ids("AWS::Scheduler::Schedule", "Schedules"):
        made = template.properties(schedule)
        assert made["Target"]["Arn"] == template.arn_of(queue_id(template, "Commit"))
        assert made["Target"]["SqsParameters"] == {"MessageGroupId": GROUP}
        assert made["ScheduleExpressionTimezone"] == "UTC"
        assert made["FlexibleTimeWindow"] == {"Mode": "OFF"}
        assert made.get("State", "ENABLED") == "ENABLED"
        chores[type(lane_message(made["Target"]["Input"]))] = made["ScheduleExpression"]
    assert chores == {
        Maintain: f"rate({environment.commit.maintain_minutes} minutes)",
        Sweep: f"cron(0 {environment.commit.sweep_at_hour} * * ? *)",
    }


def test_the_same_chore_is_not_dropped_as_a_duplicate(environment: Environment) -> None:
    assert environment.commit.maintain_minutes > 5, "SQS drops what it had in the last five minutes"


def test_prepared_files_outlive_the_messages_that_name_them(template: Template) -> None:
    kept = CloudSettings("b", "i", "q", "c").keep_prepared_days * 24 * 3_600
    assert queue(template, "Commit")["MessageRetentionPeriod"] < kept
