"""Which keys a message to the ingest queue is about."""

from __future__ import annotations

import json
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docshelf.errors import MessageError
from docshelf.events import keys_of
from docshelf.messages import LookAt, Maintain, to_body

KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


def eventbridge(key: object, bucket: str = "shelf", detail_type: str = "Object Created") -> str:
    detail = {"version": "0", "bucket": {"name": bucket}, "object": {"key": key, "size": 3}, "reason": "PutObject"}
    return json.dumps({"version": "0", "source": "aws.s3", "detail-type": detail_type, "detail": detail})


def notification(*keys: str, bucket: str = "shelf", name: str = "ObjectCreated:Put") -> str:
    records = [
        {
            "eventVersion": "2.6",
            "eventSource": "aws:s3",
            "eventName": name,
            "s3": {"bucket": {"name": bucket}, "object": {"key": quote_plus(key, safe="/")}},
        }
        for key in keys
    ]
    return json.dumps({"Records": records})


@given(KEYS)
def test_eventbridge_keys_are_taken_as_they_are(key: str) -> None:
    assert keys_of(eventbridge(key), "shelf") == (key,)


@given(st.lists(KEYS, min_size=1, max_size=4, unique=True))
def test_keys_of_a_notification_are_decoded(keys: list[str]) -> None:
    assert keys_of(notification(*keys), "shelf") == tuple(keys)


def test_a_plus_sign_survives_both_ways() -> None:
    assert keys_of(eventbridge("a+b%20c.md"), "shelf") == ("a+b%20c.md",)
    assert keys_of(notification("a+b%20c.md"), "shelf") == ("a+b%20c.md",)
    assert keys_of(
        json.dumps({"Records": [{"s3": {"bucket": {"name": "shelf"}, "object": {"key": "a+b"}}}]}), "shelf"
    ) == ("a b",)


@pytest.mark.parametrize(
    "body",
    [
        eventbridge("a.md", detail_type="Object Deleted"),
        eventbridge("a.md", detail_type="Object Restore Completed"),
        notification("a.md", name="ObjectRemoved:DeleteMarkerCreated"),
        notification("a.md", name="LifecycleExpiration:Delete"),
        json.dumps(to_body(LookAt("a.md"))),
    ],
)
def test_whatever_happened_only_the_key_counts(body: str) -> None:
    assert keys_of(body, "shelf") == ("a.md",)


def test_a_key_named_twice_is_looked_at_once() -> None:
    assert keys_of(notification("a.md", "b.md", "a.md"), "shelf") == ("a.md", "b.md")


def test_the_test_event_of_a_new_notification_names_no_key() -> None:
    test_event = {"Service": "Amazon S3", "Event": "s3:TestEvent", "Time": "2026-11-30T12:00:00Z", "Bucket": "shelf"}
    assert keys_of(json.dumps(test_event), "shelf") == ()


@pytest.mark.parametrize("body", [eventbridge("a.md", bucket="other"), notification("a.md", bucket="other")])
def test_events_of_another_bucket_name_no_key(body: str) -> None:
    assert keys_of(body, "shelf") == ()


@pytest.mark.parametrize(
    "body",
    [
        "",
        "null",
        "[]",
        "no json",
        "[" * 100_000,
        "{}",
        '{"Records": {}}',
        '{"Records": [1]}',
        '{"Records": [{}]}',
        '{"Records": [{"s3": {"bucket": {"name": "shelf"}, "object": {}}}]}',
        '{"Records": [{"s3": {"bucket": {"name": "shelf"}, "object": {"key": "%ff"}}}]}',
        '{"Records": [{"s3": {"bucket": 1, "object": {"key": "a"}}}]}',
        '{"source": "aws.s3"}',
        '{"source": "aws.ec2", "detail": {}}',
        eventbridge(7),
        eventbridge(""),
        '{"docshelf": "key"}',
        '{"docshelf": "key", "key": ""}',
        json.dumps(to_body(Maintain())),
    ],
)
def test_anything_else_is_refused_without_repeating_it(body: str) -> None:
    with pytest.raises(MessageError) as caught:
        keys_of(body, "shelf")
    assert caught.value.sentence.endswith(".")
    assert "%ff" not in caught.value.sentence


def end_of_job(key: object = "scans/a b+c.pdf", bucket: object = "shelf") -> dict[str, object]:
    location = {"S3ObjectName": key, "S3Bucket": bucket}
    return {"JobId": "f8", "Status": "SUCCEEDED", "API": "StartDocumentTextDetection", "DocumentLocation": location}


@given(KEYS)
def test_the_end_of_a_job_of_recognition_names_its_key_as_it_is_or_wrapped(key: str) -> None:
    told = json.dumps(end_of_job(key))
    wrapped = json.dumps({"Type": "Notification", "MessageId": "1", "TopicArn": "arn:aws:sns:r:1:t", "Message": told})
    assert keys_of(told, "shelf") == keys_of(wrapped, "shelf") == (key,)
    assert keys_of(told, "another") == keys_of(wrapped, "another") == ()


@pytest.mark.parametrize(
    "value",
    [
        {"JobId": "f8"},
        {"JobId": "f8", "DocumentLocation": "shelf"},
        end_of_job(key=""),
        end_of_job(key=7),
        {"Type": "Notification", "Message": "no JSON"},
        {"Type": "Notification", "Message": '{"hello": 1}'},
        {"Type": "Notification"},
    ],
)
def test_an_end_of_a_job_that_names_no_key_is_refused(value: object) -> None:
    with pytest.raises(MessageError):
        keys_of(json.dumps(value), "shelf")
