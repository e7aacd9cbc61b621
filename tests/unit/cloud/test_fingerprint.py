"""Fingerprints agree with the ETags that objects get."""

from __future__ import annotations

import hashlib
import io

import pytest

from docshelf.aws.objects import ObjectStore
from docshelf.aws.sending import noted_metadata, send
from docshelf.cloud.fingerprint import PART_BYTES, fingerprint
from docshelf.errors import StoppedError
from tests.support.cloud import Cloud

SIZES = [0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES, 2 * PART_BYTES + 5]


@pytest.mark.parametrize("size", SIZES)
def test_an_object_of_any_size_has_the_etag_that_its_file_promises(
    cloud: Cloud, tmp_path_factory: pytest.TempPathFactory, size: int
) -> None:
    path = tmp_path_factory.mktemp("files") / "file"
    path.write_bytes((b"docshelf" * (size // 8 + 1))[:size])
    store, told = ObjectStore(cloud.bucket, "pre/fix"), 0

    def on_bytes(number: int) -> None:
        nonlocal told
        told += number

    with path.open("rb") as file:
        found = fingerprint(file)
        send(store, "a b", file, "text/plain", {"note": "yes"}, part_bytes=PART_BYTES, on_bytes=on_bytes)
        assert not file.closed
    entry = store.head("a b")
    assert entry is not None
    assert (entry.size, found.size, told) == (size, size, size)
    assert found.is_etag(entry.etag)
    assert ("-" in entry.etag) == (size > PART_BYTES)
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert noted_metadata(store, "a b") == {"note": "yes"}


def test_other_content_of_the_same_size_has_another_fingerprint() -> None:
    one, other = fingerprint(io.BytesIO(b"one")), fingerprint(io.BytesIO(b"two"))
    assert not one.is_etag(other.md5)
    assert not one.is_etag(other.parts_etag)
    assert not one.is_etag("a" * 32)
    assert one.is_etag(one.parts_etag)


def test_an_object_that_is_absent_has_no_metadata(cloud: Cloud) -> None:
    assert noted_metadata(ObjectStore(cloud.bucket), "absent") == {}


def test_what_the_check_raises_ends_the_reading() -> None:
    def stop() -> None:
        raise StoppedError("Stopped.")

    file = io.BytesIO(bytes(PART_BYTES))
    with pytest.raises(StoppedError):
        fingerprint(file, stop)
    assert file.tell() < PART_BYTES
