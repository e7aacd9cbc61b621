"""Objects of a bucket, against a server that keeps them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docshelf.aws.faults import ArchivedObjectError, ObjectTooLargeError
from docshelf.aws.objects import MAX_KEY_BYTES, ObjectStore
from docshelf.aws.sending import send
from docshelf.errors import InvalidArgumentError, PreconditionFailedError, StoreRefusedError
from tests.support.cloud import Cloud, new_cloud

ODD_KEYS = (
    "a b.md", "a+b.md", "a%b.md", "a%20b.md", "a%2Fb.md", "%", "%zz", "+", "#x.md", "a?b=c&d.md", "&amp;.md",
    "q\"uo'te.md", "<&>.md", "semi;colon:@=,$!*()'~.md", "back\\slash", "{x}|^`[]", " lead", "trail. ", "a/ b /c",
    "emoji\U0001f600.md", "\u00e9.md", "e\u0301.md", "\u65e5\u672c\u8a9e.md", "\u2028.md", "\ufffe.md",
    "a//b.md", "/lead.md", "//lead.md", "a/../b.md", "../up.md", "..", ".", "./x.md", "a/./b", "folder/",
    "tab\t.md", "line\n.md", "return\r.md", "bell\x07.md", "delete\x7f.md", "c1\x85.md",
    "x" * MAX_KEY_BYTES, "\u00e9" * (MAX_KEY_BYTES // 2),
)  # fmt: skip


@pytest.fixture
def store(cloud: Cloud) -> ObjectStore:
    return ObjectStore(cloud.bucket)


@pytest.mark.parametrize("prefix", ["", "pre fix+%/\u00e9"])
def test_every_key_that_a_bucket_allows_makes_the_round_trip(cloud: Cloud, prefix: str) -> None:
    store = ObjectStore(cloud.bucket, prefix)
    room = MAX_KEY_BYTES - len(store.prefix.encode())
    keys = [key for key in ODD_KEYS if len(key.encode()) <= room]
    for key in keys:
        store.put(key, key.encode())
    listed = {entry.key: entry for entry in store.list()}
    assert list(listed) == sorted(keys, key=str.encode)
    for key in keys:
        found = store.get(key)
        assert found is not None
        assert found.data == key.encode()
        assert found.entry == store.head(key) == store.listed(key) == listed[key]
    store.delete(keys)
    assert not list(store.list())


@pytest.fixture(scope="module")
def bucket(moto_url: str) -> str:
    return new_cloud(moto_url).bucket


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(key=st.text(min_size=1, max_size=60))
def test_any_text_is_a_key(cloud: Cloud, bucket: str, key: str) -> None:
    store = ObjectStore(bucket)
    etag = store.put(key, b"content")
    found = store.get(key)
    assert found is not None
    assert [found.entry] == list(store.list(key)) == [store.head(key)]
    assert found.entry.etag == etag
    store.delete([key])
    assert store.get(key) is None
    assert store.head(key) is None


def test_the_version_is_the_etag_and_the_second_of_the_last_write(store: ObjectStore) -> None:
    etag = store.put("a.md", b"one")
    entry = store.head("a.md")
    assert entry is not None
    assert entry.version == f"{etag}.{int(entry.modified_at.timestamp())}"
    assert '"' not in etag
    assert entry.size == 3
    assert entry.modified_at.microsecond == 0
    assert entry.modified_at.utcoffset() is not None


def test_an_absent_object_is_none(store: ObjectStore) -> None:
    store.put("a.md.bak", b"one")
    assert store.get("a.md") is None
    assert store.head("a.md") is None
    assert store.listed("a.md") is None


@pytest.mark.parametrize("key", ["", "x" * (MAX_KEY_BYTES + 1), "\ud800"])
def test_a_key_that_no_object_can_have_is_absent(store: ObjectStore, key: str) -> None:
    assert store.get(key) is None
    assert store.head(key) is None
    assert store.listed(key) is None


def test_a_delete_marker_is_an_absent_object(moto_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    versioned = new_cloud(moto_url, versioned=True)
    for name, value in versioned.environment.items():
        monkeypatch.setenv(name, value)
    store = ObjectStore(versioned.bucket)
    store.put("a.md", b"one")
    store.delete(["a.md"])
    assert store.get("a.md") is None
    assert store.head("a.md") is None
    assert not list(store.list())
    versions = versioned.s3.list_object_versions(Bucket=versioned.bucket)
    assert len(versions["Versions"]) == len(versions["DeleteMarkers"]) == 1


def test_keys_are_relative_to_the_prefix(cloud: Cloud) -> None:
    outer, inner = ObjectStore(cloud.bucket, "a"), ObjectStore.from_uri(f"s3://{cloud.bucket}/a/b/")
    inner.put("c.md", b"one")
    cloud.put("a/", b"")
    cloud.put("ab.md", b"outside")
    assert [entry.key for entry in outer.list()] == ["b/c.md"]
    assert [entry.key for entry in outer.list("b/")] == ["b/c.md"]
    assert [entry.key for entry in inner.list()] == ["c.md"]
    assert outer.get("b/c.md") is not None
    assert (inner.bucket, inner.prefix, inner.uri) == (cloud.bucket, "a/b/", f"s3://{cloud.bucket}/a/b")
    assert ObjectStore(cloud.bucket).uri == f"s3://{cloud.bucket}"


@pytest.mark.parametrize("uri", ["", "s3://", "s3://ab", "https://bucket/key", "bucket/key", "s3://UPPER/x", "/a/b"])
def test_what_is_no_address_of_a_bucket_is_refused(uri: str) -> None:
    with pytest.raises(InvalidArgumentError, match="s3://BUCKET/PREFIX"):
        ObjectStore.from_uri(uri)


def test_a_listing_goes_on_behind_a_key(cloud: Cloud, store: ObjectStore) -> None:
    keys = ["a.md", "b/1.md", "b/2.md", "b/3.md", "c.md"]
    for key in keys:
        cloud.put(key, "")
    assert [entry.key for entry in store.list(after="a.md")] == keys[1:]
    assert [entry.key for entry in store.list(after="b/2")] == keys[2:]
    assert [entry.key for entry in store.list("b/", after="b/2.md")] == ["b/3.md"]
    assert [entry.key for entry in store.list("b/", after="a.md")] == keys[1:4]


def test_more_objects_than_one_request_names_are_deleted(cloud: Cloud, store: ObjectStore) -> None:
    for key in ("first.md", "last.md"):
        cloud.put(key, "")
    store.delete(["first.md", *(f"absent-{number}.md" for number in range(1_000)), "last.md"])
    assert not list(store.list())


def test_an_object_larger_than_allowed_is_not_read(store: ObjectStore) -> None:
    store.put("a.md", b"12345")
    with pytest.raises(ObjectTooLargeError) as caught:
        store.get("a.md", 4)
    assert caught.value.size == 5
    found = store.get("a.md", 5)
    assert found is not None
    assert found.data == b"12345"


def test_an_empty_object_has_no_bytes(store: ObjectStore) -> None:
    store.put("a.md", b"")
    found = store.get("a.md", 0)
    assert found is not None
    assert found.data == b""


def test_a_conditional_write_needs_the_object_as_it_was_read(store: ObjectStore) -> None:
    first = store.put("a.json", b"1", if_absent=True)
    with pytest.raises(PreconditionFailedError):
        store.put("a.json", b"2", if_absent=True)
    second = store.put("a.json", b"2", if_match=first)
    with pytest.raises(PreconditionFailedError):
        store.put("a.json", b"3", if_match=first)
    found = store.get("a.json")
    assert found is not None
    assert (found.data, found.entry.etag) == (b"2", second)


def test_a_conditional_write_of_an_absent_object_fails(store: ObjectStore) -> None:
    with pytest.raises(PreconditionFailedError):
        store.put("a.json", b"2", if_match="0" * 32)
    assert store.get("a.json") is None


def test_of_many_writers_of_one_absent_object_one_wins(store: ObjectStore) -> None:
    def wins(number: int) -> bool:
        try:
            store.put("a.json", str(number).encode(), if_absent=True)
        except PreconditionFailedError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        winners = [number for number, won in enumerate(pool.map(wins, range(24))) if won]
    found = store.get("a.json")
    assert found is not None
    assert found.data.decode() == str(winners[0])
    assert len(winners) == 1


def send_file(store: ObjectStore, path: Path) -> None:
    with path.open("rb") as file:
        send(store, "a.md", file, "text/markdown", {}, part_bytes=8 << 20, on_bytes=lambda _: None)


@pytest.mark.parametrize("size", [0, 5, (16 << 20) + 5])
def test_a_file_is_uploaded_whatever_its_size(store: ObjectStore, tmp_path: Path, size: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a" * size)
    send_file(store, path)
    found = store.get("a.md", size)
    assert found is not None
    assert found.data == path.read_bytes()
    assert found.entry == store.head("a.md") == next(store.list())


@pytest.mark.parametrize("storage_class", ["GLACIER", "DEEP_ARCHIVE"])
def test_an_archived_object_is_seen_as_such_until_it_is_restored(
    cloud: Cloud, store: ObjectStore, storage_class: str
) -> None:
    cloud.s3.put_object(Bucket=cloud.bucket, Key="a.md", Body=b"1", StorageClass=storage_class)  # type: ignore[arg-type]
    entry = store.head("a.md")
    assert entry is not None
    assert entry.archived
    assert list(store.list()) == [entry]
    with pytest.raises(ArchivedObjectError, match="restore"):
        store.get("a.md")
    cloud.s3.restore_object(Bucket=cloud.bucket, Key="a.md", RestoreRequest={"Days": 1})
    restored = store.head("a.md")
    assert restored is not None
    assert not restored.archived
    assert restored.version == entry.version
    assert store.get("a.md") is not None


def test_a_missing_bucket_is_named_by_every_operation(cloud: Cloud, tmp_path: Path) -> None:
    store = ObjectStore("no-such-bucket")
    path = tmp_path / "file"
    path.write_bytes(b"a")
    for operation in (
        lambda: store.get("a.md"),
        lambda: store.head("a.md"),
        lambda: store.put("a.md", b""),
        lambda: store.put("a.md", b"", if_match="x"),
        lambda: store.delete(["a.md"]),
        lambda: list(store.list()),
        lambda: send_file(store, path),
    ):
        with pytest.raises(StoreRefusedError, match="The bucket no-such-bucket does not exist"):
            operation()


def test_absent_objects_may_be_deleted(store: ObjectStore) -> None:
    store.put("a.md", b"1")
    store.delete(["none.md", "none\x01.md", "a.md"])
    store.delete([])
    assert not list(store.list())
