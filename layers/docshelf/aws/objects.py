"""Objects of one bucket below a prefix."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Self

from botocore.exceptions import ClientError

from docshelf.aws.clients import ATTEMPTS, s3_client
from docshelf.aws.entries import ObjectEntry, StoredObject, body_of, head_entry, listed_entry, read_entry, unquoted
from docshelf.aws.faults import BODY_FAULTS, by_code, code_of, faults_of, is_absent, is_denied, status_of
from docshelf.aws.storage_options import storage_options
from docshelf.errors import InvalidArgumentError, PreconditionFailedError, StoreDeniedError
from docshelf.setting_values import BUCKET_ADDRESS

if TYPE_CHECKING:
    from types_boto3_s3.type_defs import GetObjectOutputTypeDef, PutObjectRequestTypeDef

__all__ = ["MAX_KEY_BYTES", "ObjectEntry", "ObjectStore", "StoredObject"]

MAX_KEY_BYTES = 1_024
_TOO_LATE = frozenset({"412", "PreconditionFailed"})
_CONFLICT = "ConditionalRequestConflict"
_CONFLICT_ATTEMPTS = 5
_CONFLICT_PAUSE_SECONDS = 0.05
_DELETE_KEYS = 1_000
# What an XML document cannot hold, not even escaped: such a key cannot be named in a batch.
_NOT_FOR_XML = re.compile("[\x00-\x1f\x7f-\x9f\ufffe\uffff]")


class ObjectStore:
    """Objects of one bucket below a prefix; keys are relative to the prefix. Threads may share one.

    Every method raises StoreUnavailableError where the bucket does not answer after all attempts, StoreDeniedError
    where a permission is missing or nobody is logged in, and StoreRefusedError where there is no such bucket.
    """

    def __init__(self, bucket: str, prefix: str = "") -> None:
        self.bucket = bucket
        self.prefix = f"{prefix.rstrip('/')}/" if prefix.strip("/") else ""
        self.uri = f"s3://{bucket}/{self.prefix}".rstrip("/")
        self._place = f"The bucket {bucket}"

    @classmethod
    def from_uri(cls, uri: str) -> Self:
        """The store of an address like `s3://BUCKET/PREFIX`.

        Raises:
            InvalidArgumentError: it is no such address.
        """
        match = BUCKET_ADDRESS.fullmatch(uri)
        if match is None:
            raise InvalidArgumentError(f"An address of a bucket is like s3://BUCKET/PREFIX, not {uri!r}.")
        return cls(match.group(1), match.group(2) or "")

    def get(self, key: str, max_bytes: int | None = None) -> StoredObject | None:
        """The object, or None when there is none (or a delete marker). A body that is cut short is fetched again.

        Raises:
            ObjectTooLargeError: it has more than `max_bytes` bytes; it was not read.
            ArchivedObjectError: it must be restored first.
            LockedObjectError: it is encrypted with a key that cannot be used.
            StoreDeniedError: also where there is no object and the permission to list is missing.
        """
        name = self._name(key)
        attempts_left = ATTEMPTS
        with faults_of(self._place, "s3:GetObject"):
            while name is not None and (response := self._open(name)):
                attempts_left -= 1
                try:
                    data = body_of(response, max_bytes)
                    return StoredObject(data, read_entry(key, response, len(data)))
                except BODY_FAULTS:
                    if not attempts_left:
                        raise
        return None

    def head(self, key: str) -> ObjectEntry | None:
        """The object as it is now, or None when there is none (or a delete marker).

        An answer to HEAD does not say why it refuses, nor whether it is the bucket that is missing: then the listing
        of this one key tells.

        Raises:
            StoreDeniedError: neither s3:GetObject nor s3:ListBucket is granted.
        """
        name = self._name(key)
        if name is None:
            return None
        with faults_of(self._place, "s3:GetObject"):
            try:
                return head_entry(key, s3_client().head_object(Bucket=self.bucket, Key=name))
            except ClientError as error:
                if status_of(error) not in {400, 403, 404}:
                    raise
        return self.listed(key)

    def listed(self, key: str) -> ObjectEntry | None:
        """The object by the listing of its one key, which needs no permission on the object itself, or None.

        Raises:
            StoreDeniedError: s3:ListBucket is not granted; the sentence names s3:GetObject as well.
        """
        name = self._name(key)
        if name is None:
            return None
        with faults_of(self._place, "s3:ListBucket"):
            try:
                page = s3_client().list_objects_v2(
                    Bucket=self.bucket, Prefix=name, MaxKeys=1, OptionalObjectAttributes=["RestoreStatus"]
                )
            except ClientError as error:
                if is_denied(error):
                    raise StoreDeniedError(
                        f"{self._place} refuses access: the permissions s3:ListBucket and s3:GetObject are missing."
                    ) from error
                raise
        # Of the keys that start with this one, the first in order is the key itself.
        items = page.get("Contents", ())
        return listed_entry(key, items[0]) if items and items[0]["Key"] == name else None

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """Write an object and return its etag; with a condition, only if the object has that etag or is absent.

        An answer that is lost is asked for again, so that a condition may fail by our own write: read to see.

        Raises:
            PreconditionFailedError: the condition does not hold, or somebody else keeps writing the object.
        """
        request: PutObjectRequestTypeDef = {"Bucket": self.bucket, "Key": f"{self.prefix}{key}", "Body": data}
        if if_match is not None:
            request["IfMatch"] = f'"{if_match}"'
        if if_absent:
            request["IfNoneMatch"] = "*"
        for attempt in range(1, _CONFLICT_ATTEMPTS + 1):
            with faults_of(self._place, "s3:PutObject"):
                try:
                    return unquoted(s3_client().put_object(**request)["ETag"])
                except ClientError as error:
                    code = code_of(error)
                    if code in _TOO_LATE or (if_match is not None and is_absent(error)):
                        raise _precondition_failed() from error
                    if code != _CONFLICT:
                        raise
            time.sleep(_CONFLICT_PAUSE_SECONDS * attempt * (1 + random.random()))  # noqa: S311  no secret
        raise _precondition_failed()

    def delete(self, keys: Iterable[str]) -> None:
        """Remove objects; absent ones are fine. In a versioned bucket that leaves delete markers.

        When an error is raised, any part of the objects may be gone.
        """
        names = (f"{self.prefix}{key}" for key in keys)
        while batch := tuple(islice(names, _DELETE_KEYS)):
            with faults_of(self._place, "s3:DeleteObject"):
                self._delete_batch([name for name in batch if not _NOT_FOR_XML.search(name)])
                for name in filter(_NOT_FOR_XML.search, batch):
                    s3_client().delete_object(Bucket=self.bucket, Key=name)

    def list(self, prefix: str = "", after: str = "") -> Iterator[ObjectEntry]:
        """Objects whose keys start with `prefix` and come behind `after`, in the order of the keys' UTF-8 bytes."""
        if prefix and self._name(prefix) is None:  # no key is so long, and a bucket may refuse the question
            return
        with faults_of(self._place, "s3:ListBucket"):
            pages = s3_client().get_paginator("list_objects_v2")
            for page in pages.paginate(
                Bucket=self.bucket,
                Prefix=f"{self.prefix}{prefix}",
                StartAfter=f"{self.prefix}{after}" if after else "",
                OptionalObjectAttributes=["RestoreStatus"],
            ):
                for item in page.get("Contents", ()):
                    if key := item["Key"].removeprefix(self.prefix):
                        yield listed_entry(key, item)

    def storage_options(self) -> dict[str, str]:
        """Options with which LanceDB reaches this bucket as we do; they hold credentials where it finds none itself."""
        with faults_of(self._place, "s3:ListBucket"):
            return storage_options(self.bucket)

    def _name(self, key: str) -> str | None:
        """The key in the bucket, or None where no object can have it."""
        name = f"{self.prefix}{key}"
        try:
            return name if key and len(name.encode()) <= MAX_KEY_BYTES else None
        except UnicodeEncodeError:
            return None

    def _open(self, name: str) -> GetObjectOutputTypeDef | None:
        try:
            return s3_client().get_object(Bucket=self.bucket, Key=name)
        except ClientError as error:
            if is_absent(error):
                return None
            raise

    def _delete_batch(self, names: Sequence[str]) -> None:
        if not names:
            return
        response = s3_client().delete_objects(
            Bucket=self.bucket, Delete={"Objects": [{"Key": name} for name in names], "Quiet": True}
        )
        for failed in response.get("Errors", ()):
            raise by_code(failed.get("Code", ""), failed.get("Message", ""), self._place, "s3:DeleteObject")


def _precondition_failed() -> PreconditionFailedError:
    return PreconditionFailedError("Somebody else wrote the object first: look at it again.")
