"""Scans become searchable: jobs of recognition over real buckets, queues and topics, with a stand-in of Textract."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import boto3
import pytest

from docshelf.aws.objects import ObjectStore
from docshelf.cloud.comparing import comparison
from docshelf.index.filters import EVERYTHING
from docshelf.index.records import DocumentRecord
from docshelf.messages import Sweep
from docshelf.reconcile import Reason
from docshelf.settings import Limits
from docshelf.sources.bucket import BucketSource
from docshelf.states import State
from tests.support.cloud import Cloud
from tests.support.fake_textract import FakeTextract, Job, fake_textract
from tests.support.made_pdfs import pdf_of, show
from tests.support.moto_server import CREDENTIALS
from tests.support.pipeline import PLENTY, Pipeline, failures, look_at, pipeline, record

ON = Limits(ocr="textract")
OFF = Limits()
ROLE = "arn:aws:iam::123456789012:role/docshelf-tells"
PNG = b"\x89PNG\r\n\x1a\n" + bytes([0, 0, 0, 13]) + b"IHDR" + bytes([0, 0, 3, 32, 0, 0, 4, 176, 8, 0, 0, 0, 0])
SCAN = pdf_of(["", ""])
PUMP = ["Maintenance of the pump", "The pump runs at 40 bar."]
VALVE = ["The valve opens at 3 bar."]


@dataclass
class Shelf:
    """An environment that recognises scans: its functions, its topic, and the stand-in of Textract."""

    functions: Pipeline
    textract: FakeTextract
    topic: str

    @property
    def cloud(self) -> Cloud:
        return self.functions.cloud

    def tell(self, job: Job) -> None:
        """Publish the end of a job, as Textract does."""
        _sns(self.cloud).publish(TopicArn=self.topic, Message=job.notification())

    def ended(self, job: Job) -> None:
        """Publish the end of a job, and have everything done that follows from it."""
        self.tell(job)
        self.functions.drain()

    def document(self, key: str) -> DocumentRecord:
        found = self.functions.document(key)
        assert found is not None
        return found

    def state(self, key: str) -> tuple[State, str]:
        found = self.document(key)
        return found.state, found.reason or ""

    def sweep(self) -> int:
        """Sweep, and say how many keys ingest then looked at; whatever follows is done."""
        self.functions.chore(Sweep())
        looked = self.functions.ingest_queue()
        self.functions.drain()
        return looked

    def started(self, key: str, data: bytes = SCAN) -> Job:
        """The job of a scan that was uploaded."""
        self.cloud.put(key, data)
        self.functions.sync(key)
        return self.textract.jobs[-1]

    def an_hour_passes(self) -> None:
        """Since the last job was begun, or failed."""
        for name, told in self.records().items():
            moment = datetime.fromisoformat(told["started"]) - timedelta(hours=1)
            data = json.dumps({**told, "started": moment.isoformat()}).encode()
            self.cloud.s3.put_object(Bucket=self.cloud.index_bucket, Key=name, Body=data)

    def records(self) -> dict[str, dict[str, str]]:
        """What is kept of recognitions."""
        bucket = self.cloud.index_bucket
        listed = self.cloud.s3.list_objects_v2(Bucket=bucket, Prefix="index/ocr/").get("Contents", [])
        return {
            one["Key"]: json.loads(self.cloud.s3.get_object(Bucket=bucket, Key=one["Key"])["Body"].read())
            for one in listed
        }


def _sns(cloud: Cloud):  # type: ignore[no-untyped-def]
    return boto3.client(
        "sns",
        endpoint_url=cloud.url,
        region_name=CREDENTIALS["AWS_REGION"],
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
    )


def topic_to(cloud: Cloud, *, raw: bool) -> str:
    """A topic that passes its messages on to the ingest queue."""
    sns = _sns(cloud)
    topic = str(sns.create_topic(Name=cloud.bucket)["TopicArn"])
    asked = cloud.sqs.get_queue_attributes(QueueUrl=cloud.ingest_queue_url, AttributeNames=["QueueArn"])
    sns.subscribe(
        TopicArn=topic,
        Protocol="sqs",
        Endpoint=asked["Attributes"]["QueueArn"],
        Attributes={"RawMessageDelivery": "true" if raw else "false"},
    )
    return topic


@contextmanager
def shelf_of(cloud: Cloud, textract: FakeTextract, limits: Limits = ON, *, raw: bool = True) -> Iterator[Shelf]:
    topic = topic_to(cloud, raw=raw)
    with pipeline(cloud, limits, ocr_topic=topic, ocr_role=ROLE) as functions:
        yield Shelf(functions, textract, topic)


@pytest.fixture
def textract(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeTextract]:
    with fake_textract() as made:
        monkeypatch.setenv("AWS_ENDPOINT_URL_TEXTRACT", made.url)
        monkeypatch.setenv("DOCSHELF_REQUEST_SECONDS", "5")
        yield made


@pytest.fixture
def shelf(cloud: Cloud, textract: FakeTextract) -> Iterator[Shelf]:
    with shelf_of(cloud, textract) as made:
        yield made


@pytest.mark.parametrize("raw", [True, False])
def test_a_scan_is_queued_until_the_end_of_its_job_is_published_and_then_searchable(
    cloud: Cloud, textract: FakeTextract, raw: bool
) -> None:
    with shelf_of(cloud, textract, raw=raw) as shelf:
        job = shelf.started("scans/pump a.pdf")
        state, reason = shelf.state("scans/pump a.pdf")
        assert state is State.QUEUED
        assert reason.startswith("Its text is being recognised (OCR) since 20")
        assert shelf.document("scans/pump a.pdf").pages == 2
        job.succeed(PUMP, VALVE)
        shelf.ended(job)
        found = shelf.document("scans/pump a.pdf")
        assert (found.state, found.reason, found.pages, found.media_type) == (State.INDEXED, None, 2, "pdf")
        assert (found.title, found.warnings) == ("pump a", ())
        chunks = shelf.functions.index().chunks_of("scans/pump a.pdf")
        assert [(chunk.page, chunk.text.strip()) for chunk in chunks] == [(1, "\n".join(PUMP)), (2, VALVE[0])]


def test_textract_is_told_where_the_scan_is_and_whom_to_tell(shelf: Shelf) -> None:
    job = shelf.started("scans/pump a.pdf")
    assert job.request["DocumentLocation"] == {"S3Object": {"Bucket": shelf.cloud.bucket, "Name": "scans/pump a.pdf"}}
    assert job.request["NotificationChannel"] == {"SNSTopicArn": shelf.topic, "RoleArn": ROLE}


@pytest.mark.parametrize(
    ("name", "data", "media_type"),
    [
        ("a.png", PNG, "png"),
        ("photo without an ending", b"\xff\xd8\xff\xc0\x00\x0b\x08\x04\xb0\x03\x20\x01\x01\x11\x00", "jpeg"),
        ("fax.tif", b"II*\0\x08\0\0\0\x01\0\x00\x01\x03\0\x01\0\0\0\x20\x03\0\0\0\0\0\0", "tiff"),
    ],
)
def test_a_picture_becomes_searchable(shelf: Shelf, name: str, data: bytes, media_type: str) -> None:
    job = shelf.started(name, data)
    job.succeed(PUMP)
    shelf.ended(job)
    found = shelf.document(name)
    assert (found.state, found.pages, found.media_type) == (State.INDEXED, 1, media_type)
    assert "40 bar" in shelf.functions.text(name)


def test_what_is_no_scan_is_not_sent(shelf: Shelf) -> None:
    files = {
        "a.md": b"# Pump\n\nThe pump runs at 40 bar.\n",
        "empty.md": b"",
        "good.pdf": pdf_of([show("The pump runs at 40 bar.", 72, 700)]),
        "movie.gif": b"GIF89a" + bytes(30),
    }
    for key, data in files.items():
        shelf.cloud.put(key, data)
    shelf.functions.sync(*files)
    assert shelf.textract.asked == []
    states = [shelf.state(key)[0] for key in files]
    assert states == [State.INDEXED, State.EMPTY, State.INDEXED, State.UNSUPPORTED]
    assert shelf.sweep() == 0


def test_a_sweep_looks_at_what_is_under_way_and_changes_nothing(shelf: Shelf) -> None:
    shelf.started("scan.pdf")
    before = shelf.document("scan.pdf")
    assert shelf.sweep() == 1
    assert shelf.document("scan.pdf") == before
    assert len(shelf.textract.jobs) == 1


def test_a_message_that_is_lost_is_made_up_for_by_the_sweep(shelf: Shelf) -> None:
    shelf.started("scan.pdf").succeed(PUMP, VALVE)
    assert shelf.sweep() == 1
    assert shelf.state("scan.pdf") == (State.INDEXED, "")
    assert shelf.sweep() == 0


def test_a_message_that_comes_twice_does_nothing(shelf: Shelf) -> None:
    job = shelf.started("scan.pdf")
    job.succeed(PUMP, VALVE)
    shelf.tell(job)
    shelf.ended(job)
    before = shelf.document("scan.pdf")
    shelf.ended(job)
    assert shelf.document("scan.pdf") == before
    assert shelf.textract.asked.count("GetDocumentTextDetection") == 1


def test_events_that_come_twice_begin_one_job(shelf: Shelf) -> None:
    shelf.started("scan.pdf")
    shelf.functions.sync("scan.pdf")
    shelf.functions.sync("scan.pdf")
    assert len(shelf.textract.jobs) == 1
    for name in shelf.records():  # ended between the beginning of the job and noting it
        shelf.cloud.s3.delete_object(Bucket=shelf.cloud.index_bucket, Key=name)
    shelf.functions.sync("scan.pdf")
    assert len(shelf.textract.jobs) == 1


def test_the_same_content_uploaded_again_is_not_paid_for_again(shelf: Shelf) -> None:
    job = shelf.started("scan.pdf")
    job.succeed(PUMP, VALVE)
    shelf.ended(job)
    shelf.cloud.s3.put_object(Bucket=shelf.cloud.bucket, Key="scan.pdf", Body=SCAN)
    shelf.functions.sync("scan.pdf")
    assert shelf.state("scan.pdf")[0] is State.INDEXED
    assert len(shelf.textract.jobs) == 1


def test_another_content_is_recognised_anew_and_the_answer_of_the_old_one_is_left_alone(shelf: Shelf) -> None:
    old = shelf.started("scan.pdf")
    new = shelf.started("scan.pdf", pdf_of([""]))
    assert new is not old
    old.succeed(PUMP, VALVE)
    shelf.ended(old)
    assert shelf.state("scan.pdf")[0] is State.QUEUED
    new.succeed(VALVE)
    shelf.ended(new)
    assert shelf.functions.text("scan.pdf").strip() == VALVE[0]


def test_an_object_that_is_replaced_while_its_answer_is_fetched_is_looked_at_again(shelf: Shelf) -> None:
    old = shelf.started("scan.pdf")
    old.succeed(PUMP, VALVE)
    shelf.textract.before_an_answer = lambda: shelf.cloud.put("scan.pdf", pdf_of([""]))
    assert shelf.functions.prepare("scan.pdf") == ["scan.pdf"]
    assert [told["text"] for told in shelf.records().values()] == [None]
    shelf.functions.sync("scan.pdf")
    shelf.textract.jobs[-1].succeed(VALVE)
    shelf.textract.before_an_answer = lambda: None
    shelf.functions.sync("scan.pdf")
    assert shelf.functions.text("scan.pdf").strip() == VALVE[0]


def test_what_was_recognised_goes_with_its_document(shelf: Shelf) -> None:
    job = shelf.started("scan.pdf")
    job.succeed(PUMP, VALVE)
    shelf.ended(job)
    assert len(shelf.records()) == 1
    shelf.cloud.remove("scan.pdf")
    shelf.functions.sync("scan.pdf")
    assert shelf.functions.sources() == []
    assert shelf.records() == {}


def test_an_answer_in_parts_is_read_to_its_end(shelf: Shelf) -> None:
    shelf.textract.largest_part = 7
    job = shelf.started("scan.pdf")
    job.succeed([f"Line {number} of the first page" for number in range(30)], VALVE)
    shelf.ended(job)
    text = shelf.functions.text("scan.pdf")
    assert text.splitlines() == [*(f"Line {number} of the first page" for number in range(30)), "", VALVE[0]]


def test_a_text_that_is_hard_to_read_and_pages_that_failed_are_told(shelf: Shelf) -> None:
    job = shelf.started("scan.pdf")
    job.succeed(PUMP, [], confidence=60.0, status="PARTIAL_SUCCESS")
    job.warnings.append({"ErrorCode": "PAGE_TOO_DARK", "Pages": [2]})
    shelf.ended(job)
    pages, confidence = shelf.document("scan.pdf").warnings
    assert pages == "Page 2 could not be recognised by Amazon Textract (PAGE_TOO_DARK)."
    assert "mean confidence of 60 %" in confidence


def test_a_scan_without_a_word_is_empty_and_not_paid_for_again(shelf: Shelf) -> None:
    job = shelf.started("scan.pdf")
    job.succeed([], [])
    shelf.ended(job)
    assert shelf.state("scan.pdf") == (State.EMPTY, "Amazon Textract recognised no text in it (pages: 2).")
    assert shelf.sweep() == 0
    shelf.functions.sync("scan.pdf")
    assert len(shelf.textract.jobs) == 1


def test_more_pages_than_may_be_paid_for_are_not_sent_until_the_limit_is_raised(
    cloud: Cloud, textract: FakeTextract
) -> None:
    with shelf_of(cloud, textract, Limits(ocr="textract", ocr_max_pages=1)) as shelf:
        shelf.cloud.put("scan.pdf", SCAN)
        shelf.functions.sync("scan.pdf")
        state, reason = shelf.state("scan.pdf")
        assert state is State.TOO_LARGE
        assert "2 pages, more than the 1 that DOCSHELF_OCR_MAX_PAGES allows" in reason
        assert shelf.sweep() == 0
    with shelf_of(cloud, textract, Limits(ocr="textract", ocr_max_pages=2)) as shelf:
        assert shelf.sweep() == 1
        assert shelf.state("scan.pdf")[0] is State.QUEUED


def test_switched_on_and_off_the_scans_that_are_there_follow(cloud: Cloud, textract: FakeTextract) -> None:
    cloud.put("scan.pdf", SCAN)
    cloud.put("a.png", PNG)
    with shelf_of(cloud, textract, OFF) as shelf:
        shelf.functions.sync("scan.pdf", "a.png")
        before = [shelf.state(key) for key in ("scan.pdf", "a.png")]
        assert [state for state, _ in before] == [State.EMPTY, State.UNSUPPORTED]
    with shelf_of(cloud, textract) as shelf:
        assert shelf.sweep() == 2
        scan, picture = sorted(textract.jobs, key=lambda job: job.key, reverse=True)
        scan.succeed(PUMP, VALVE)
        shelf.ended(scan)
        assert [shelf.state(key)[0] for key in ("scan.pdf", "a.png")] == [State.INDEXED, State.QUEUED]
    with shelf_of(cloud, textract, OFF) as shelf:
        picture.succeed(VALVE)
        assert shelf.sweep() == 2
        assert [shelf.state(key) for key in ("scan.pdf", "a.png")] == before
        assert shelf.sweep() == 0
    with shelf_of(cloud, textract) as shelf:
        assert shelf.sweep() == 2
        assert [shelf.state(key)[0] for key in ("scan.pdf", "a.png")] == [State.INDEXED, State.INDEXED]
        assert shelf.sweep() == 0
    assert len(textract.jobs) == 2


def test_a_job_that_fails_is_begun_again_later_and_not_more_than_three_times(shelf: Shelf) -> None:
    shelf.started("scan.pdf")
    for attempt in (1, 2):
        assert len(shelf.textract.jobs) == attempt
        shelf.textract.jobs[-1].fail("SOMETHING BROKE")
        shelf.ended(shelf.textract.jobs[-1])
        state, reason = shelf.state("scan.pdf")
        assert state is State.FAILED
        assert reason == "Amazon Textract could not recognise the text (SOMETHING BROKE): it is tried again later."
        assert shelf.document("scan.pdf").retryable
        shelf.ended(shelf.textract.jobs[-1])  # told twice
        assert len(shelf.textract.jobs) == attempt
        shelf.an_hour_passes()
        shelf.functions.chore(Sweep(retry=True))
        shelf.functions.drain()
        assert shelf.state("scan.pdf")[0] is State.QUEUED
    shelf.textract.jobs[-1].fail("SOMETHING BROKE")
    shelf.ended(shelf.textract.jobs[-1])
    assert "in 3 attempts: run OCR over the file" in shelf.state("scan.pdf")[1]
    assert not shelf.document("scan.pdf").retryable
    shelf.an_hour_passes()
    shelf.functions.sync("scan.pdf")
    assert (len(shelf.textract.jobs), shelf.sweep()) == (3, 0)


def test_an_answer_that_is_kept_no_longer_is_asked_for_anew_at_most_three_times(shelf: Shelf) -> None:
    shelf.started("scan.pdf")
    for _ in range(5):
        shelf.textract.forget(shelf.textract.jobs[-1])
        shelf.an_hour_passes()
        shelf.functions.sync("scan.pdf")
    assert len(shelf.textract.jobs) == 3
    state, reason = shelf.state("scan.pdf")
    assert state is State.FAILED
    assert "its answer was no longer kept" in reason


@pytest.mark.parametrize(
    ("code", "state", "words", "retryable"),
    [
        ("UnsupportedDocumentException", State.UNSUPPORTED, "does not take a file of this kind", False),
        ("DocumentTooLargeException", State.TOO_LARGE, "takes no file of this size", False),
        ("BadDocumentException", State.FAILED, "may be damaged", False),
        ("InvalidS3ObjectException", State.FAILED, "cannot read the object", True),
        ("InvalidParameterException", State.FAILED, "DOCSHELF_OCR_TOPIC", True),
        ("AccessDeniedException", State.FAILED, "the permission iam:PassRole is missing", True),
        ("SubscriptionRequiredException", State.FAILED, "SubscriptionRequiredException", True),
    ],
)
def test_a_refused_scan_ends_in_a_state_that_says_why(
    shelf: Shelf, code: str, state: State, words: str, retryable: bool
) -> None:
    message = "User: arn:aws:sts::1:x is not authorized to perform: iam:PassRole on resource: arn:aws:iam::1:role/r"
    shelf.textract.refuse("Start", code, message)
    shelf.cloud.put("scan.pdf", SCAN)
    shelf.functions.sync("scan.pdf")
    assert shelf.state("scan.pdf")[0] is state
    assert words in shelf.state("scan.pdf")[1]
    assert shelf.document("scan.pdf").retryable is retryable
    assert shelf.textract.jobs == []
    assert shelf.sweep() == (1 if retryable else 0)
    shelf.textract.accept()
    if retryable:
        shelf.functions.chore(Sweep(retry=True))
        shelf.functions.drain()
        assert shelf.state("scan.pdf")[0] is State.QUEUED


@pytest.mark.parametrize("code", ["LimitExceededException", "ProvisionedThroughputExceededException"])
def test_where_textract_is_busy_the_message_comes_again_and_then_the_sweep(shelf: Shelf, code: str) -> None:
    shelf.textract.refuse("Start", code)
    shelf.cloud.put("scan.pdf", SCAN)
    assert shelf.functions.prepare("scan.pdf") == ["scan.pdf"]
    assert shelf.functions.prepare("scan.pdf", receives=5) == []
    shelf.functions.drain()
    state, reason = shelf.state("scan.pdf")
    assert state is State.QUEUED
    assert reason == f"Amazon Textract takes no more just now ({code}). The next sweep tries again."
    shelf.textract.accept()
    assert shelf.sweep() == 1
    assert len(shelf.textract.jobs) == 1


def test_where_textract_does_not_answer_the_message_comes_again_and_then_the_file_is_failed(shelf: Shelf) -> None:
    shelf.textract.refuse("Start", "InternalServerError")
    shelf.cloud.put("scan.pdf", SCAN)
    assert shelf.functions.prepare("scan.pdf") == ["scan.pdf"]
    assert shelf.functions.prepare("scan.pdf", receives=5) == []
    shelf.functions.drain()
    assert "Amazon Textract does not answer" in shelf.state("scan.pdf")[1]
    assert shelf.document("scan.pdf").retryable


def test_a_busy_answer_leaves_the_job_as_it_is(shelf: Shelf) -> None:
    job = shelf.started("scan.pdf")
    job.succeed(PUMP, VALVE)
    shelf.textract.refuse("Get", "ProvisionedThroughputExceededException")
    assert shelf.functions.prepare("scan.pdf") == ["scan.pdf"]
    shelf.textract.accept()
    assert shelf.functions.prepare("scan.pdf", receives=2) == []
    shelf.functions.drain()
    assert shelf.state("scan.pdf")[0] is State.INDEXED
    assert len(shelf.textract.jobs) == 1


def test_an_answer_for_which_there_is_no_time_comes_again(shelf: Shelf) -> None:
    shelf.textract.largest_part = 2
    job = shelf.started("scan.pdf")
    job.succeed(PUMP, VALVE)
    seconds = iter([PLENTY, 0.0, 0.0, 0.0])
    answer = shelf.functions.ingest.handle({"Records": [record(look_at("scan.pdf"))]}, lambda: next(seconds))
    assert failures(answer) == ["m"]
    shelf.ended(job)
    assert shelf.state("scan.pdf")[0] is State.INDEXED


def test_more_text_than_the_limit_is_too_large(cloud: Cloud, textract: FakeTextract) -> None:
    with shelf_of(cloud, textract, Limits(ocr="textract", max_characters=1_000)) as shelf:
        job = shelf.started("scan.pdf")
        job.succeed(["word " * 300], [])
        shelf.ended(job)
        assert shelf.state("scan.pdf")[0] is State.TOO_LARGE
        assert "DOCSHELF_MAX_CHARACTERS" in shelf.state("scan.pdf")[1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"NextToken": "1"}, "goes in a circle"),
        ({"JobStatus": "ON_HOLIDAY"}, "a state of the job that is not known here"),
        ({"JobStatus": None}, "a state of the job that is not known here"),
        ({"Warnings": [{"ErrorCode": "X", "Pages": [9]}]}, "names pages that the document does not have"),
        ({"Warnings": [{"ErrorCode": "X", "Pages": [0]}]}, "names pages that the document does not have"),
        ({"DocumentMetadata": {"Pages": 1_000_000_000}}, "of more pages than it takes"),
    ],
)
def test_an_answer_that_cannot_be_true_fails_its_scan_alone(shelf: Shelf, change: dict[str, Any], words: str) -> None:
    job = shelf.started("scan.pdf")
    job.succeed(PUMP, VALVE)
    shelf.textract.bent = lambda answer: {name: told for name, told in (answer | change).items() if told is not None}
    shelf.cloud.put("a.md", b"# Pump\n\nThe pump runs at 40 bar.\n")
    assert shelf.functions.prepare("scan.pdf", "a.md") == []
    shelf.functions.drain()
    assert shelf.state("a.md")[0] is State.INDEXED
    assert shelf.state("scan.pdf")[0] is State.FAILED
    assert words in shelf.state("scan.pdf")[1]
    assert len(shelf.textract.jobs) == 1


def test_parts_in_any_order_give_the_pages_in_theirs(shelf: Shelf) -> None:
    shelf.textract.largest_part = 3
    job = shelf.started("scan.pdf")
    job.succeed(PUMP, VALVE)
    job.blocks.reverse()
    shelf.ended(job)
    assert shelf.functions.text("scan.pdf").splitlines() == [*PUMP, "", *VALVE]


def test_a_text_of_fewer_pages_than_the_scan_has_is_told(shelf: Shelf) -> None:
    job = shelf.started("scan.pdf")
    job.succeed(PUMP)
    shelf.ended(job)
    assert shelf.document("scan.pdf").warnings == ("Amazon Textract gave the text of 1 of the 2 pages.",)


def test_a_picture_within_an_archive_or_a_mail_is_not_sent_and_not_looked_at_again(shelf: Shelf) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.png", PNG)
        archive.writestr("scan.pdf", SCAN)
    shelf.cloud.put("all.zip", packed.getvalue())
    shelf.functions.sync("all.zip")
    assert [shelf.state(f"all.zip!/{name}")[0] for name in ("a.png", "scan.pdf")] == [State.UNSUPPORTED, State.EMPTY]
    assert shelf.sweep() == 0
    assert shelf.textract.asked == []


def test_ends_of_jobs_of_other_buckets_and_of_documents_that_are_not_there_do_nothing(shelf: Shelf) -> None:
    job = shelf.started("scan.pdf")
    before = shelf.document("scan.pdf")
    told = json.loads(job.notification())
    for bucket, key in (("other", "scan.pdf"), (shelf.cloud.bucket, "gone.pdf"), (shelf.cloud.bucket, "x" * 3_000)):
        message = {**told, "JobId": "forged", "DocumentLocation": {"S3Bucket": bucket, "S3ObjectName": key}}
        _sns(shelf.cloud).publish(TopicArn=shelf.topic, Message=json.dumps(message))
    shelf.functions.drain()
    assert shelf.document("scan.pdf") == before
    assert shelf.functions.sources() == ["scan.pdf"]
    assert len(shelf.textract.jobs) == 1


@pytest.mark.parametrize("moment", ["2026-12-01T05:00:00", "yesterday"])
def test_a_record_with_a_moment_that_cannot_be_compared_begins_anew(shelf: Shelf, moment: str) -> None:
    shelf.started("scan.pdf").succeed(PUMP, VALVE)
    for name, told in shelf.records().items():
        data = json.dumps({**told, "job": None, "started": moment}).encode()
        shelf.cloud.s3.put_object(Bucket=shelf.cloud.index_bucket, Key=name, Body=data)
    shelf.functions.sync("scan.pdf")
    shelf.functions.sync("scan.pdf")
    assert shelf.state("scan.pdf")[0] is State.INDEXED
    assert len(shelf.textract.jobs) == 1


def test_more_pages_than_textract_takes_are_not_sent_whatever_the_setting_says(
    cloud: Cloud, textract: FakeTextract
) -> None:
    circle = b"II*\0\x08\0\0\0\0\0\x08\0\0\0"
    with shelf_of(cloud, textract, Limits(ocr="textract", ocr_max_pages=1_000_000)) as shelf:
        shelf.cloud.put("fax.tif", circle)
        shelf.functions.sync("fax.tif")
        assert shelf.state("fax.tif")[0] is State.TOO_LARGE
        assert "more than 3,000 pages, and Amazon Textract takes 3,000" in shelf.state("fax.tif")[1]
    assert textract.asked == []


def test_a_damaged_record_begins_anew(shelf: Shelf) -> None:
    shelf.started("scan.pdf").succeed(PUMP, VALVE)
    for name in shelf.records():
        shelf.cloud.s3.put_object(Bucket=shelf.cloud.index_bucket, Key=name, Body=b'{"form": 1, "starts": "x"}')
    shelf.functions.sync("scan.pdf")
    shelf.functions.sync("scan.pdf")
    assert shelf.state("scan.pdf")[0] is State.INDEXED


def test_agents_see_what_is_being_recognised(shelf: Shelf) -> None:
    shelf.started("scan.pdf")
    (listed,) = shelf.functions.index().documents(EVERYTHING, State.QUEUED, None, 10)
    assert listed.source == "scan.pdf"
    assert shelf.functions.index().contents(3)[0].states == ((State.QUEUED, 1),)


def test_the_comparison_shows_what_is_being_recognised_as_queued(shelf: Shelf) -> None:
    shelf.started("scan.pdf")
    found = comparison(BucketSource(ObjectStore(shelf.cloud.bucket)), shelf.functions.index(), ON)
    assert found.states == {State.QUEUED: 1}
    assert found.queued_keys == [("scan.pdf", Reason.RECOGNISING)]
