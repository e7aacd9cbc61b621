"""What a bucket tells of an object: the same from GET, HEAD and LIST."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from docshelf.aws.faults import ObjectTooLargeError

if TYPE_CHECKING:
    from types_boto3_s3.type_defs import GetObjectOutputTypeDef, HeadObjectOutputTypeDef, ObjectTypeDef

_ARCHIVES = frozenset({"GLACIER", "DEEP_ARCHIVE"})


@dataclass(frozen=True, slots=True)
class ObjectEntry:
    """An object without its content. `size` in bytes, `etag` without quotes; `archived` must be restored to be read."""

    key: str
    size: int
    modified_at: datetime
    etag: str
    archived: bool

    @property
    def version(self) -> str:
        """What changes with every write of the object, and is the same from GET, HEAD and LIST."""
        return f"{self.etag}.{int(self.modified_at.timestamp())}"


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object with its content, both of one moment."""

    data: bytes
    entry: ObjectEntry


def read_entry(key: str, response: GetObjectOutputTypeDef, size: int) -> ObjectEntry:
    """The entry of an object that was read."""
    return ObjectEntry(key, size, _moment(response["LastModified"]), unquoted(response["ETag"]), archived=False)


def head_entry(key: str, response: HeadObjectOutputTypeDef) -> ObjectEntry:
    """The entry of an object by its headers."""
    moment, etag = _moment(response["LastModified"]), unquoted(response["ETag"])
    return ObjectEntry(key, response["ContentLength"], moment, etag, _is_archived(response))


def listed_entry(key: str, item: ObjectTypeDef) -> ObjectEntry:
    """The entry of an object in a listing that was asked for the status of restores."""
    restored = "RestoreExpiryDate" in item.get("RestoreStatus", {})
    archived = item.get("StorageClass") in _ARCHIVES and not restored
    return ObjectEntry(key, item["Size"], _moment(item["LastModified"]), unquoted(item["ETag"]), archived)


def body_of(response: GetObjectOutputTypeDef, max_bytes: int | None) -> bytes:
    """The body of an answer to GET, which is closed.

    Raises:
        ObjectTooLargeError: it has more than `max_bytes` bytes; at most one more was read.
        botocore.exceptions.BotoCoreError: one of BODY_FAULTS.
    """
    with closing(response["Body"]) as body:
        size = response.get("ContentLength")
        if max_bytes is None:
            return body.read()
        if size is not None and size > max_bytes:
            raise ObjectTooLargeError(size)
        # A whole read is bounded by the size that was announced, and checks it and the checksum at its end.
        data = body.read() if size is not None else body.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise ObjectTooLargeError(len(data))
        return data


def unquoted(etag: str) -> str:
    """An etag without the quotes of its header."""
    return etag.strip('"')


def _moment(modified_at: datetime) -> datetime:
    # Whole seconds are what GET and HEAD tell; a listing may tell more.
    return modified_at.astimezone(UTC).replace(microsecond=0)


def _is_archived(response: Mapping[str, object]) -> bool:
    # The second is how the archive tiers of S3 Intelligent-Tiering tell.
    if response.get("StorageClass") not in _ARCHIVES and not response.get("ArchiveStatus"):
        return False
    return 'ongoing-request="false"' not in str(response.get("Restore"))
