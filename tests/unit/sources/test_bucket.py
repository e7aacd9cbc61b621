"""A bucket as a source of documents."""

from __future__ import annotations

import hashlib

import pytest

from docshelf.aws.objects import ObjectStore
from docshelf.errors import (
    ArchivedFileError,
    DeniedFileError,
    DocshelfError,
    DocumentTooLargeError,
    SourceError,
    SourceVanishedError,
    StoreDeniedError,
    StoreUnavailableError,
)
from docshelf.sources import Source
from docshelf.sources.bucket import BucketSource, is_document_key
from tests.support.cloud import Cloud
from tests.support.scripted_s3 import Answer, Script, error, listing

MAX_BYTES = 1_000


@pytest.fixture
def source(cloud: Cloud) -> BucketSource:
    return BucketSource(ObjectStore(cloud.bucket))


@pytest.fixture
def answered(scripted: Script) -> BucketSource:
    return BucketSource(ObjectStore("bucket"))


@pytest.mark.parametrize(
    "key", ["a.md", ".hidden", "a/b", "//a", "a.docshelf", ".docshelf.md", "~$a.docx", "node_modules/a"]
)
def test_every_object_is_a_document_whatever_its_name(cloud: Cloud, source: BucketSource, key: str) -> None:
    cloud.put(key, "text")
    assert is_document_key(key)
    assert [entry.key for entry in source.list()] == [key]
    assert source.read(key, MAX_BYTES).data == b"text"


@pytest.mark.parametrize("key", ["a/", "/", ".docshelf", ".docshelf/current.json", "a/.docshelf/b.md"])
def test_markers_of_folders_and_what_is_ours_are_no_documents(cloud: Cloud, source: BucketSource, key: str) -> None:
    cloud.put(key, "text")
    assert not is_document_key(key)
    assert list(source.list()) == []
    assert source.stat(key) is None
    with pytest.raises(SourceVanishedError):
        source.read(key, MAX_BYTES)


def test_a_document_has_one_version_from_list_stat_and_read(cloud: Cloud, source: BucketSource) -> None:
    as_source: Source = source
    cloud.put("a/b.md", "text")
    (listed,) = as_source.list("a/")
    content = as_source.read("a/b.md", 4)
    assert as_source.stat("a/b.md") == listed
    assert content.version == listed.version
    assert content.modified_at == listed.modified_at
    assert (content.data, content.size, content.sha256) == (b"text", 4, hashlib.sha256(b"text").hexdigest())
    assert (listed.size, listed.archived) == (4, False)
    assert as_source.unreadable == ()


def test_another_content_has_another_version(cloud: Cloud, source: BucketSource) -> None:
    cloud.put("a.md", "one")
    before = source.stat("a.md")
    cloud.put("a.md", "two")
    after = source.stat("a.md")
    assert before is not None
    assert after is not None
    assert before.version != after.version


def test_a_listing_goes_on_behind_a_key(cloud: Cloud, source: BucketSource) -> None:
    for key in ("a.md", "b.md", "c.md"):
        cloud.put(key, "")
    assert [entry.key for entry in source.list(after="a.md")] == ["b.md", "c.md"]


def test_a_document_that_is_gone_has_vanished(cloud: Cloud, source: BucketSource) -> None:
    cloud.put("a.md", "text")
    cloud.remove("a.md")
    assert source.stat("a.md") is None
    with pytest.raises(SourceVanishedError):
        source.read("a.md", MAX_BYTES)


def test_a_document_too_large_names_the_setting(cloud: Cloud, source: BucketSource) -> None:
    cloud.put("a.md", "x" * 1_001)
    with pytest.raises(DocumentTooLargeError, match=r"1,001 bytes.*1,000.*DOCSHELF_MAX_BYTES"):
        source.read("a.md", MAX_BYTES)


def test_an_archived_document_must_be_restored_first(cloud: Cloud, source: BucketSource) -> None:
    cloud.s3.put_object(Bucket=cloud.bucket, Key="a.md", Body=b"1", StorageClass="GLACIER")
    (entry,) = source.list()
    assert entry.archived
    assert source.stat("a.md") == entry
    with pytest.raises(ArchivedFileError, match="restore it first"):
        source.read("a.md", MAX_BYTES)


def test_a_missing_bucket_is_no_missing_document(cloud: Cloud) -> None:
    missing = BucketSource(ObjectStore("no-such-bucket"))
    with pytest.raises(SourceError, match="no-such-bucket does not exist"):
        next(missing.list())
    with pytest.raises(SourceError, match="no-such-bucket does not exist"):
        missing.stat("a.md")
    with pytest.raises(SourceError, match="no-such-bucket does not exist"):
        missing.read("a.md", MAX_BYTES)


@pytest.mark.parametrize(
    ("message", "action"),
    [("Access Denied", "s3:GetObject"), ("x is not authorized to perform: kms:Decrypt on the resource", "kms:Decrypt")],
)
def test_a_document_that_is_refused_names_the_permission(
    answered: BucketSource, scripted: Script, message: str, action: str
) -> None:
    scripted.on("GET", error(403, "AccessDenied", message))
    scripted.on("LIST", listing("a.md"))
    with pytest.raises(DeniedFileError, match=f"the permission {action} is missing"):
        answered.read("a.md", MAX_BYTES)


def test_a_document_that_is_refused_and_not_listed_has_vanished(answered: BucketSource, scripted: Script) -> None:
    scripted.on("GET", error(403, "AccessDenied"))
    scripted.on("LIST", listing("a.md.bak"))
    with pytest.raises(SourceVanishedError):
        answered.read("a.md", MAX_BYTES)


@pytest.mark.parametrize(
    ("listed", "expected", "words"),
    [
        (error(403, "AccessDenied"), StoreDeniedError, "s3:ListBucket and s3:GetObject"),
        (error(404, "NoSuchBucket"), SourceError, "does not exist"),
        (error(400, "ExpiredToken"), StoreDeniedError, "expired"),
    ],
)
def test_a_bucket_that_refuses_everything_says_nothing_of_a_document(
    answered: BucketSource, scripted: Script, listed: Answer, expected: type[DocshelfError], words: str
) -> None:
    scripted.on("GET", error(403, "AccessDenied"))
    scripted.on("HEAD", Answer(403))
    scripted.on("LIST", listed)
    with pytest.raises(expected, match=words):
        answered.read("a.md", MAX_BYTES)
    with pytest.raises(expected, match=words):
        answered.stat("a.md")


def test_a_bucket_that_may_not_be_listed_is_no_empty_bucket(answered: BucketSource, scripted: Script) -> None:
    scripted.on("LIST", error(403, "AccessDenied"))
    with pytest.raises(SourceError, match="s3:ListBucket"):
        next(answered.list())


def test_a_document_whose_key_is_disabled_is_refused(answered: BucketSource, scripted: Script) -> None:
    scripted.on("GET", error(400, "KMS.DisabledException"))
    with pytest.raises(DeniedFileError, match="KMS key"):
        answered.read("a.md", MAX_BYTES)


def test_a_bucket_that_asks_to_slow_down_says_nothing_of_a_document(answered: BucketSource, scripted: Script) -> None:
    scripted.on("GET", error(503, "SlowDown"))
    with pytest.raises(StoreUnavailableError):
        answered.read("a.md", MAX_BYTES)


def test_a_listing_that_breaks_off_is_no_end_of_the_bucket(answered: BucketSource, scripted: Script) -> None:
    scripted.on("LIST", listing("a.md", more="token"), error(503, "SlowDown"))
    found = answered.list()
    assert next(found).key == "a.md"
    with pytest.raises(StoreUnavailableError):
        next(found)
