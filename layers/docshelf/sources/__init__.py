"""Where documents come from: a folder or a bucket, behind one small protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

ROOT_COLLECTION = "general"

MEMBER_MARK = "!/"
"""Between the key of an archive or mail and the name of a file in it."""


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A file as a listing shows it. `size` in bytes; `version` where the source names each content by itself.

    An `archived` one must be restored before it can be read.
    """

    key: str
    size: int
    modified_at: datetime | None
    version: str | None = None
    archived: bool = False


@dataclass(frozen=True, slots=True)
class SourceContent:
    """A file's bytes as they were at one moment, with their SHA-256 in hexadecimal."""

    data: bytes
    sha256: str
    size: int
    modified_at: datetime | None
    version: str | None = None


class Source(Protocol):
    """Files under keys; `a/b.md` lies in the folder `a/`."""

    @property
    def unreadable(self) -> Sequence[tuple[str, str]]:
        """Of the last listing of everything: prefixes that could not be listed, each with the sentence that says why.

        What lies there is unknown, not deleted.
        """

    def list(self, prefix: str = "") -> Iterator[SourceEntry]:
        """Every document whose key starts with `prefix` (empty, or a folder ending with `/`).

        Raises:
            SourceError: the source itself cannot be read.
        """

    def stat(self, key: str) -> SourceEntry | None:
        """The document under `key` as it is now, or None when there is none.

        Raises:
            UnreadableFileError: it cannot be told what is there.
        """

    def read(self, key: str, max_bytes: int) -> SourceContent:
        """The document's bytes.

        Raises:
            SourceVanishedError: there is no such document (any more).
            DocumentTooLargeError: it has more than `max_bytes` bytes; it was not read.
            UnreadableFileError: its bytes cannot be read.
        """


def collection_of(key: str) -> str:
    """The collection a key belongs to: its first folder, or `general` for keys in no folder."""
    folder, separator, _ = key.partition("/")
    return folder if separator and folder else ROOT_COLLECTION
