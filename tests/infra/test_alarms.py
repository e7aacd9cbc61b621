"""When somebody is told, of what, and by which way."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from docshelf.gateway.messages import HttpRequest, json_response
from docshelf.observability import NAMESPACE, Metric, emit
from docshelf.serving.answers import Answer as SearchAnswer
from docshelf.serving.record import RequestRecord as SearchRecord
from docshelf.signin.answers import Answer as SigninAnswer
from docshelf.signin.record import RequestRecord as SigninRecord
from infra.settings import Environment
from tests.support.assembly import NAMES
from tests.support.commands import ROOT
from tests.support.template import Template

ALARM, TOPIC, SUBSCRIPTION = "AWS::CloudWatch::Alarm", "AWS::SNS::Topic", "AWS::SNS::Subscription"
FILTER = "AWS::Logs::MetricFilter"

WITHOUT_ALARMS = ["seesaws"]
WITH_ALARMS = sorted(set(NAMES) - set(WITHOUT_ALARMS))

FUNCTIONS = ["Ingest", "Commit", "Search", "Signin"]
A_DAY, A_WEEK, AN_HOUR = 86_400, 604_800, 3_600

WARM = (
    "REPORT RequestId: 5d7f7c3a-0c0f-4d0e-9a63-3a1f8d9e7b11\tDuration: 41.27 ms\tBilled Duration: 42 ms\t"
    "Memory Size: 1769 MB\tMax Memory Used: 412 MB\t"
)
STARTS = {
    f"{WARM}Init Duration: 2345.67 ms\t\n": 2345.67,
    f"{WARM}Init Duration: 2345.67 ms\t\nXRAY TraceId: 1-5c\tSegmentId: 4a\tSampled: true\t\n": 2345.67,
    f"{WARM}Restore Duration: 533.61 ms\tBilled Restore Duration: 126 ms\t\n": 533.61,
    "INIT_REPORT Init Duration: 10003.12 ms\tPhase: init\tStatus: timeout\n": 10003.12,
}
NO_STARTS = [
    f"{WARM}\n",
    "START RequestId: 5d7f7c3a-0c0f-4d0e-9a63-3a1f8d9e7b11 Version: 12\n",
    '{"level": "INFO", "message": "request", "path": "mcp", "duration_ms": 31.2}',
    "INIT_REPORT Init Duration: 9123.45 ms\tPhase: init\tStatus: error\tError Type: Runtime.ExitError\n",
]


def alarms(template: Template) -> dict[str, dict[str, Any]]:
    """Each alarm by the part of its name that is the same in every environment."""
    found = [template.properties(one) for one in template.ids(ALARM)]
    return {one["AlarmName"].removeprefix(f"{template.stack}-"): one for one in found}


def dimensions(alarm: dict[str, Any]) -> dict[str, str]:
    return {one["Name"]: one["Value"] for one in alarm.get("Dimensions", ())}


def documented() -> list[str]:
    section = Path(ROOT, "docs", "operations.md").read_text("utf-8").partition("\n## Alarms")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \|", section.partition("These have no alarm")[0], re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([\w-]+)`", row)]


def value_of(pattern: str, value: str, line: str) -> float | None:
    """What CloudWatch Logs takes from a line by a pattern of words, of which the last is the rest of the line."""
    fields = [one.partition("=") for one in pattern.strip("[]").split(", ")]
    words = line.split(maxsplit=len(fields) - 1)
    if len(words) != len(fields):
        return None
    found = {}
    for (name, is_said, wanted), word in zip(fields, words, strict=True):
        if is_said and word.strip() != wanted.strip('"'):
            return None
        found[f"${name}"] = word
    return float(found[value])


@pytest.mark.parametrize("name", WITHOUT_ALARMS)
def test_none_are_made_where_they_are_switched_off(template: Template) -> None:
    for kind in (ALARM, TOPIC, SUBSCRIPTION, FILTER):
        assert template.ids(kind) == []


@pytest.mark.parametrize("name", WITH_ALARMS)
def test_every_alarm_has_its_row_in_the_manual_and_names_it(template: Template) -> None:
    assert sorted(alarms(template)) == sorted(documented())
    for name, alarm in alarms(template).items():
        description = alarm["AlarmDescription"]
        assert re.fullmatch(r"[A-Z].+\. What to do: docs/operations\.md, section Alarms, [\w-]+\.", description)
        assert description.endswith(f" {name}.")


@pytest.mark.parametrize("name", WITH_ALARMS)
def test_every_alarm_is_published_to_the_topic_which_lets_these_alarms_alone_publish(
    template: Template, environment: Environment
) -> None:
    topic = template.arn_of(template.id(TOPIC, "Alarms"))
    assert {tuple(alarm["AlarmActions"]) for alarm in alarms(template).values()} == {(topic,)}
    policy = template.one("AWS::SNS::TopicPolicy", "Alarms")
    assert policy["Topics"] == [topic]
    statements = policy["PolicyDocument"]["Statement"]
    (allowed,) = [one for one in statements if one["Effect"] == "Allow"]
    assert (allowed["Principal"], allowed["Action"]) == ({"Service": "cloudwatch.amazonaws.com"}, "sns:Publish")
    (account,) = allowed["Condition"]["StringEquals"].values()
    (pattern,) = allowed["Condition"]["ArnLike"].values()
    for alarm in alarms(template).values():
        arn = f"arn:aws:cloudwatch:{template.region}:{account}:alarm:{alarm['AlarmName']}"
        assert fnmatchcase(arn, pattern)
    assert not fnmatchcase(f"arn:aws:cloudwatch:{template.region}:{account}:alarm:another", pattern)
    (denied,) = [one for one in statements if one["Effect"] == "Deny"]
    assert denied["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


@pytest.mark.parametrize("name", WITH_ALARMS)
def test_each_address_is_subscribed(template: Template, environment: Environment) -> None:
    found = [template.properties(one) for one in template.ids(SUBSCRIPTION)]
    topic = template.arn_of(template.id(TOPIC, "Alarms"))
    assert {(one["Protocol"], one["Endpoint"]) for one in found if one["TopicArn"] == topic} == {
        ("email", address) for address in environment.alarms.emails
    }


@pytest.mark.parametrize("name", WITH_ALARMS)
def test_the_topic_has_no_key_that_alarms_may_not_use(template: Template) -> None:
    assert "KmsMasterKeyId" not in template.one(TOPIC, "Alarms")


@pytest.mark.parametrize("name", WITH_ALARMS)
def test_what_an_environment_without_traffic_emits_sets_nothing_off(template: Template) -> None:
    for name, alarm in alarms(template).items():
        assert alarm["ComparisonOperator"] == "GreaterThanOrEqualToThreshold"
        assert alarm["Threshold"] > 0
        assert alarm["TreatMissingData"] == ("ignore" if name == "failed-documents" else "notBreaching")


@pytest.mark.parametrize("name", WITH_ALARMS)
def test_cloudwatch_can_look_as_far_back_as_each_alarm_asks(template: Template) -> None:
    for alarm in alarms(template).values():
        assert alarm["Period"] % 60 == 0
        longest = A_WEEK if alarm["Period"] >= AN_HOUR else A_DAY
        assert alarm["Period"] * alarm["EvaluationPeriods"] <= longest


@pytest.mark.parametrize("name", WITH_ALARMS)
def test_the_limits_are_those_of_the_settings(template: Template, environment: Environment) -> None:
    found, settings = alarms(template), environment.alarms
    for backlog in ("ingest-backlog", "commit-backlog"):
        assert found[backlog]["Threshold"] == settings.oldest_message_minutes * 60
    assert found["failed-documents"]["Threshold"] == settings.failed_documents
    assert found["slow-search"]["Threshold"] == settings.search_p95_ms
    assert found["slow-start"]["Threshold"] == settings.init_ms


@pytest.mark.parametrize("name", WITH_ALARMS)
@pytest.mark.parametrize("queue", ["Ingest", "Commit"])
def test_each_queue_and_its_dead_letters_are_watched(template: Template, queue: str) -> None:
    found = alarms(template)
    for name, of, metric in (
        (f"{queue.lower()}-backlog", queue, "ApproximateAgeOfOldestMessage"),
        (f"{queue.lower()}-dead-letters", f"{queue}DeadLetters", "ApproximateNumberOfMessagesVisible"),
    ):
        watched = template.id("AWS::SQS::Queue", f"Queues/{of}")
        assert dimensions(found[name]) == {"QueueName": f"{watched}.QueueName"}
        assert (found[name]["Namespace"], found[name]["MetricName"]) == ("AWS/SQS", metric)


@pytest.mark.parametrize("name", WITH_ALARMS)
def test_letters_that_maintenance_takes_set_nothing_off(template: Template, environment: Environment) -> None:
    alarm = alarms(template)["ingest-dead-letters"]
    assert alarm["Statistic"] == "Minimum", "a letter that is gone before the next round counts as none"
    assert alarm["Period"] * alarm["EvaluationPeriods"] >= 2 * environment.commit.maintain_minutes * 60


@pytest.mark.parametrize("name", WITH_ALARMS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_errors_and_throttles_of_each_function_are_watched(template: Template, function: str) -> None:
    watched = template.id("AWS::Lambda::Function", f"Functions/{function}")
    for name, metric in ((f"{function.lower()}-errors", "Errors"), (f"{function.lower()}-throttles", "Throttles")):
        alarm = alarms(template)[name]
        assert (alarm["Namespace"], alarm["MetricName"], alarm["Statistic"]) == ("AWS/Lambda", metric, "Sum")
        assert dimensions(alarm) == {"FunctionName": watched}


@pytest.mark.parametrize("name", WITH_ALARMS)
def test_the_time_of_a_search_is_that_of_the_alias_and_of_enough_requests(template: Template) -> None:
    alarm, function = alarms(template)["slow-search"], template.id("AWS::Lambda::Function", "Functions/Search")
    assert (alarm["MetricName"], alarm["ExtendedStatistic"]) == ("Duration", "p95")
    alias = template.one("AWS::Lambda::Alias", "Functions/Search")["Name"]
    assert dimensions(alarm) == {"FunctionName": function, "Resource": f"{function}:{alias}"}
    assert alarm["EvaluateLowSampleCountPercentile"] == "ignore"


@pytest.mark.parametrize("name", WITH_ALARMS)
def test_the_api_s_own_errors_are_watched(template: Template) -> None:
    alarm = alarms(template)["api-5xx"]
    assert (alarm["Namespace"], alarm["MetricName"]) == ("AWS/ApiGateway", "5xx")
    assert dimensions(alarm) == {"ApiId": template.id("AWS::ApiGatewayV2::Api", "FrontDoor")}


@pytest.mark.parametrize("name", WITH_ALARMS)
def test_the_functions_emit_what_is_watched(
    template: Template, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = template.one("AWS::Lambda::Function", "Functions/Search")["Environment"]["Variables"]
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", service["POWERTOOLS_SERVICE_NAME"])
    request = HttpRequest("GET", "/", "", {}, b"", "", "")
    SearchRecord(request=request, cold=False).write(SearchAnswer(json_response(503, {})))
    SigninRecord(request=request, name="landing", cold=False).write(SigninAnswer(json_response(503, {})))
    for metric in (Metric.DEAD_LETTERS, Metric.FAILED_CHORES, Metric.OTHER_WRITERS):
        emit({metric: 1})
    emit({Metric.DOCUMENTS: 1}, State="failed")
    emitted = _emitted(capsys.readouterr().out)
    watched = {
        (one["MetricName"], frozenset(dimensions(one).items()))
        for one in alarms(template).values()
        if one["Namespace"] == NAMESPACE
    }
    assert len(watched) == 6
    assert watched <= emitted


@pytest.mark.parametrize("name", WITH_ALARMS)
def test_the_starts_of_every_function_are_read_from_its_log(template: Template, environment: Environment) -> None:
    watched = alarms(template)["slow-start"]
    for function in FUNCTIONS:
        log = template.id("AWS::Logs::LogGroup", f"Functions/{function}")
        found = [one for each in template.ids(FILTER) if (one := template.properties(each))["LogGroupName"] == log]
        for line, wanted in STARTS.items():
            assert _taken(found, line) == [wanted], line
        for line in NO_STARTS:
            assert _taken(found, line) == [], line
        made = {(one["MetricNamespace"], one["MetricName"]) for each in found for one in each["MetricTransformations"]}
        assert made == {(watched["Namespace"], watched["MetricName"])}
    assert environment.name in watched["Namespace"], "there is no dimension that tells environments apart"


def _emitted(text: str) -> set[tuple[str, frozenset[tuple[str, str]]]]:
    found = set()
    for line in filter(None, map(json.loads, text.splitlines())):
        for metrics in line.get("_aws", {}).get("CloudWatchMetrics", ()):
            for names in metrics["Dimensions"]:
                of = frozenset((name, line[name]) for name in names)
                found |= {(metric["Name"], of) for metric in metrics["Metrics"]}
    return found


def _taken(filters: list[dict[str, Any]], line: str) -> list[float]:
    values = [
        value_of(one["FilterPattern"], transformation["MetricValue"], line)
        for one in filters
        for transformation in one["MetricTransformations"]
    ]
    return [value for value in values if value is not None]
