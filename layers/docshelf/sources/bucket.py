"""A bucket as a source of documents."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from docshelf.aws.faults import ArchivedObjectError, LockedObjectError, ObjectTooLargeError
from docshelf.aws.objects import ObjectEntry, ObjectStore, StoredObject
from docshelf.errors import (
    ArchivedFileError,
    DeniedFileError,
    DocumentTooLargeError,
    SourceError,
    SourceVanishedError,
    StoreDeniedError,
    StoreRefusedError,
)
from docshelf.sources import SourceContent, SourceEntry

_OURS = ".docshelf"


def is_document_key(key: str) -> bool:
    """Whether an object of this key is a document: not a folder's marker (ending with `/`), nor in our own folder."""
    return key != "" and not key.endswith("/") and _OURS not in key.split("/")


class BucketSource:
    """Documents are the objects of a store, under their keys, whatever these hold (`is_document_key`).

    Every method raises StoreUnavailableError where the bucket does not answer after all attempts.
    """

    def __init__(self, store: ObjectStore) -> None:
        self.store = store

    @property
    def unreadable(self) -> Sequence[tuple[str, str]]:
        """Nothing: a bucket is listed as a whole or not at all."""
        return ()

    def list(self, prefix: str = "", after: str = "") -> Iterator[SourceEntry]:
        """Every document whose key starts with `prefix` and comes behind `after`, in the order of UTF-8 bytes.

        Raises:
            SourceError: the bucket is missing or may not be listed.
        """
        try:
            for entry in self.store.list(prefix, after):
                if is_document_key(entry.key):
                    yield _source_entry(entry)
        except (StoreDeniedError, StoreRefusedError) as error:
            raise SourceError(error.sentence) from error

    def stat(self, key: str) -> SourceEntry | None:
        """The document under `key` as it is now, or None when there is none (or a delete marker).

        Raises:
            SourceError: the bucket is missing.
            StoreDeniedError: neither s3:GetObject nor s3:ListBucket is granted, or nobody is logged in.
        """
        if not is_document_key(key):
            return None
        with _missing_bucket():
            entry = self.store.head(key)
        return _source_entry(entry) if entry else None

    def read(self, key: str, max_bytes: int) -> SourceContent:
        """The document's bytes with their version, all of one moment.

        Raises:
            SourceVanishedError: there is no such document (any more).
            DocumentTooLargeError: it has more than `max_bytes` bytes; it was not read.
            DeniedFileError: the bucket, or the key of the encryption, refuses it.
            ArchivedFileError: it must be restored before it can be read.
            SourceError: the bucket is missing.
            StoreDeniedError: neither s3:GetObject nor s3:ListBucket is granted, or nobody is logged in.
        """
        found = self._get(key, max_bytes) if is_document_key(key) else None
        if found is None:
            raise _vanished()
        entry = found.entry
        digest = hashlib.sha256(found.data).hexdigest()
        return SourceContent(found.data, digest, len(found.data), entry.modified_at, entry.version)

    def _get(self, key: str, max_bytes: int) -> StoredObject | None:
        try:
            with _missing_bucket():
                return self.store.get(key, max_bytes)
        except ObjectTooLargeError as error:
            raise DocumentTooLargeError(
                f"The file has {error.size:,} bytes, more than the limit of {max_bytes:,} (setting DOCSHELF_MAX_BYTES)."
            ) from error
        except ArchivedObjectError as error:
            raise ArchivedFileError(error.sentence) from error
        except LockedObjectError as error:
            raise DeniedFileError(error.sentence) from error
        except StoreDeniedError as error:
            # Without the permission to list, a missing object is refused in the same words.
            with _missing_bucket():
                present = self.store.listed(key) is not None
            if not present:
                raise _vanished() from error
            raise DeniedFileError(error.sentence) from error


@contextmanager
def _missing_bucket() -> Iterator[None]:
    try:
        yield
    except (ArchivedObjectError, LockedObjectError, ObjectTooLargeError):
        raise
    except StoreRefusedError as error:
        raise SourceError(error.sentence) from error


def _source_entry(entry: ObjectEntry) -> SourceEntry:
    return SourceEntry(entry.key, entry.size, entry.modified_at, entry.version, entry.archived)


def _vanished() -> SourceVanishedError:
    return SourceVanishedError("There is no such document any more.")
