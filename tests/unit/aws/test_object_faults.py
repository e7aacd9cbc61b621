"""What a bucket says when something is wrong, as errors of ours."""

from __future__ import annotations

import pytest

from docshelf.aws.faults import ArchivedObjectError, LockedObjectError, ObjectTooLargeError
from docshelf.aws.objects import ObjectStore
from docshelf.errors import PreconditionFailedError, StoreDeniedError, StoreRefusedError, StoreUnavailableError
from tests.support.scripted_s3 import ETAG, Answer, Script, content, error, listing

STORE = ObjectStore("bucket")
RESTORED = (
    "<RestoreStatus><IsRestoreInProgress>false</IsRestoreInProgress>"
    "<RestoreExpiryDate>2026-04-01T00:00:00.000Z</RestoreExpiryDate></RestoreStatus>"
)
RESTORING = "<RestoreStatus><IsRestoreInProgress>true</IsRestoreInProgress></RestoreStatus>"


@pytest.mark.parametrize("answer", [error(503, "SlowDown"), error(500, "InternalError"), Answer(503)])
def test_a_bucket_that_asks_to_slow_down_is_asked_three_times(scripted: Script, answer: Answer) -> None:
    scripted.on("GET", answer)
    with pytest.raises(StoreUnavailableError, match="The bucket bucket does not answer as it should"):
        STORE.get("a.md")
    assert scripted.asked == ["GET"] * 3


def test_a_bucket_that_never_answers_is_given_up(scripted: Script) -> None:
    scripted.on("GET", Answer(silent=True))
    with pytest.raises(StoreUnavailableError):
        STORE.get("a.md")


def test_an_address_where_nothing_listens_is_unavailable(monkeypatch: pytest.MonkeyPatch, scripted: Script) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(StoreUnavailableError):
        next(STORE.list())


def test_a_body_that_was_cut_short_is_fetched_again(scripted: Script) -> None:
    scripted.on("GET", content(b"12345", sent_bytes=3), content(b"12345"))
    found = STORE.get("a.md", 10)
    assert found is not None
    assert found.data == b"12345"
    assert scripted.asked == ["GET"] * 2


@pytest.mark.parametrize("max_bytes", [None, 10])
def test_a_body_that_is_always_cut_short_is_given_up(scripted: Script, max_bytes: int | None) -> None:
    scripted.on("GET", content(b"12345", sent_bytes=3))
    with pytest.raises(StoreUnavailableError):
        STORE.get("a.md", max_bytes)
    assert scripted.asked == ["GET"] * 3


def test_a_body_that_is_damaged_is_given_up(scripted: Script) -> None:
    scripted.on("GET", content(b"12345", amazon={"checksum-crc32": "AAAAAA=="}))
    with pytest.raises(StoreUnavailableError):
        STORE.get("a.md", 10)


def test_a_body_too_large_is_not_fetched(scripted: Script) -> None:
    scripted.on("GET", content(b"x" * (32 << 20)))
    with pytest.raises(ObjectTooLargeError):
        STORE.get("a.md", 1_000)
    # What is under way when the connection closes lies in the buffers of the system.
    assert scripted.sent < 16 << 20


def test_a_body_of_unknown_size_is_read_one_byte_too_far_at_most(scripted: Script) -> None:
    scripted.on("GET", content(b"12345678", announced=False))
    with pytest.raises(ObjectTooLargeError) as caught:
        STORE.get("a.md", 4)
    assert caught.value.size == 5
    found = STORE.get("a.md", 8)
    assert found is not None
    assert found.data == b"12345678"


def test_what_is_no_answer_of_a_bucket_is_unavailable(scripted: Script) -> None:
    scripted.on("LIST", Answer(body=b"<html>Please log in to this network"))
    with pytest.raises(StoreUnavailableError):
        next(STORE.list())


@pytest.mark.parametrize(
    ("message", "action"),
    [
        ("Access Denied", "s3:GetObject"),
        ("User: arn:aws:iam::1:user/x is not authorized to perform: s3:GetObjectVersion", "s3:GetObjectVersion"),
        (
            "User: arn:aws:sts::1:assumed-role/x is not authorized to perform: kms:Decrypt on the resource",
            "kms:Decrypt",
        ),
        ("The ciphertext refers to a KMS key that may not be used", "kms:Decrypt"),
    ],
)
def test_a_refusal_names_the_permission_that_is_missing(scripted: Script, message: str, action: str) -> None:
    scripted.on("GET", error(403, "AccessDenied", message))
    with pytest.raises(StoreDeniedError, match=rf"the permission {action} is missing"):
        STORE.get("a.md")


def test_a_refusal_to_write_names_the_permission_that_is_missing(scripted: Script) -> None:
    scripted.on("PUT", error(403, "AccessDenied"), error(403, "AccessDenied", "no use of the kms key"))
    with pytest.raises(StoreDeniedError, match="s3:PutObject"):
        STORE.put("a.md", b"")
    with pytest.raises(StoreDeniedError, match="kms:GenerateDataKey"):
        STORE.put("a.md", b"")


@pytest.mark.parametrize("status", [400, 403, 404])
def test_where_head_is_refused_the_listing_tells(scripted: Script, status: int) -> None:
    scripted.on("HEAD", Answer(status))
    scripted.on("LIST", listing("a.md"), listing("a.md.bak"), listing())
    entry = STORE.head("a.md")
    assert entry is not None
    assert entry.version == f"{ETAG}.1772446830"
    assert STORE.head("a.md") is STORE.head("a.md") is None


def test_where_head_and_listing_are_refused_both_permissions_are_named(scripted: Script) -> None:
    scripted.on("HEAD", Answer(403))
    scripted.on("LIST", error(403, "AccessDenied"))
    with pytest.raises(StoreDeniedError, match="s3:ListBucket and s3:GetObject"):
        STORE.head("a.md")


def test_an_answer_to_head_that_tells_nothing_of_the_object_is_an_error(scripted: Script) -> None:
    scripted.on("HEAD", Answer(405))
    with pytest.raises(StoreRefusedError, match="refuses a request"):
        STORE.head("a.md")


def test_a_bucket_that_is_missing_is_no_missing_object(scripted: Script) -> None:
    scripted.on("HEAD", Answer(404))
    scripted.on("LIST", error(404, "NoSuchBucket"))
    with pytest.raises(StoreRefusedError, match="does not exist"):
        STORE.head("a.md")


@pytest.mark.parametrize("code", ["ExpiredToken", "InvalidAccessKeyId", "SignatureDoesNotMatch"])
def test_credentials_that_are_not_accepted_are_told(scripted: Script, code: str) -> None:
    scripted.on("HEAD", Answer(400))
    scripted.on("LIST", error(403, code))
    with pytest.raises(StoreDeniedError, match="log in"):
        STORE.head("a.md")


@pytest.mark.parametrize(
    "answer",
    [
        error(400, "KMS.DisabledException"),
        error(400, "KMS.NotFoundException"),
        error(400, "KMS.KMSInvalidStateException"),
        error(400, "InvalidRequest", "The object was stored using a form of Server Side Encryption."),
    ],
)
def test_an_object_whose_key_cannot_be_used_is_locked(scripted: Script, answer: Answer) -> None:
    scripted.on("GET", answer)
    with pytest.raises(LockedObjectError, match="encrypt"):
        STORE.get("a.md")


def test_an_object_in_an_archive_is_told(scripted: Script) -> None:
    scripted.on("GET", error(403, "InvalidObjectState"))
    with pytest.raises(ArchivedObjectError, match="restore it first"):
        STORE.get("a.md")


def test_a_listing_goes_on_over_pages(scripted: Script) -> None:
    scripted.on("LIST", listing("a.md", "b.md", more="token"), listing("c.md"))
    assert [entry.key for entry in STORE.list()] == ["a.md", "b.md", "c.md"]
    assert scripted.asked == ["LIST"] * 2


@pytest.mark.parametrize(("status", "archived"), [("", True), (RESTORING, True), (RESTORED, False)])
def test_a_listing_tells_what_is_archived(scripted: Script, status: str, archived: bool) -> None:
    scripted.on("LIST", listing("a.md", storage_class="GLACIER", restore_status=status))
    assert [entry.archived for entry in STORE.list()] == [archived]


@pytest.mark.parametrize(
    ("headers", "archived"),
    [
        ({}, False),
        ({"storage-class": "GLACIER_IR"}, False),
        ({"storage-class": "GLACIER"}, True),
        ({"storage-class": "DEEP_ARCHIVE", "restore": 'ongoing-request="true"'}, True),
        ({"storage-class": "GLACIER", "restore": 'ongoing-request="false", expiry-date="Fri"'}, False),
        ({"storage-class": "INTELLIGENT_TIERING", "archive-status": "ARCHIVE_ACCESS"}, True),
    ],
)
def test_the_headers_tell_what_is_archived(scripted: Script, headers: dict[str, str], archived: bool) -> None:
    scripted.on("HEAD", content(b"12345", amazon=headers))
    entry = STORE.head("a.md")
    assert entry is not None
    assert entry.archived is archived
    assert entry.version == f"{ETAG}.1772446830"


def test_a_conditional_write_in_conflict_is_tried_again(scripted: Script) -> None:
    scripted.on("PUT", error(409, "ConditionalRequestConflict"), Answer(headers={"ETag": '"new"'}))
    assert STORE.put("a.json", b"", if_absent=True) == "new"
    assert scripted.asked == ["PUT"] * 2


def test_a_conditional_write_that_stays_in_conflict_fails(scripted: Script) -> None:
    scripted.on("PUT", error(409, "ConditionalRequestConflict"))
    with pytest.raises(PreconditionFailedError):
        STORE.put("a.json", b"", if_match="old")


@pytest.mark.parametrize(
    ("code", "expected"), [("AccessDenied", StoreDeniedError), ("SlowDown", StoreUnavailableError)]
)
def test_an_object_that_could_not_be_deleted_is_an_error(
    scripted: Script, code: str, expected: type[Exception]
) -> None:
    failed = f"<DeleteResult><Error><Key>b.md</Key><Code>{code}</Code><Message>m</Message></Error></DeleteResult>"
    scripted.on("POST", Answer(body=failed.encode()))
    with pytest.raises(expected):
        STORE.delete(["a.md", "b.md"])
