"""What readers of archives have in common: the files of an archive, counted within bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from docshelf.documents.archives.members import member_name
from docshelf.errors import DocumentError, DocumentTooLargeError
from docshelf.settings import Limits
from docshelf.sources.naming import is_ignored

MOST_ENTRIES = 100_000
"""Entries of any kind that are looked at: folders, links and what is never a document cost time too."""

_LARGEST_RATIO = 1_000
_RATIO_COUNTS_FROM = 100_000_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in an archive; `size` in bytes, unpacked. `read` gives its content, and raises DocumentError."""

    name: str
    size: int
    read: Callable[[], bytes]
    modified_at: datetime | None = None
    error: DocumentError | None = None


def is_document_name(name: str) -> bool:
    """Whether a file of this name in an archive is a document: not what tools and systems leave behind."""
    plain = member_name(name)
    return not name.endswith(("/", "\\")) and bool(plain) and not is_ignored(plain)


def check_entries(entries: Iterable[Entry], packed_bytes: int, limits: Limits) -> int:
    """The number of `entries`, which come from an archive of `packed_bytes` bytes.

    Raises:
        DocumentTooLargeError: there are more of them, or more bytes in them, than `limits` allow.
    """
    count = unpacked = 0
    for entry in entries:
        count += 1
        unpacked += entry.size
        if count > limits.max_members:
            raise DocumentTooLargeError(
                f"The archive holds more files than the {limits.max_members:,} of DOCSHELF_MAX_MEMBERS: unpack it and "
                "upload its files, or raise the limit."
            )
        if unpacked > limits.max_unpacked_bytes:
            raise DocumentTooLargeError(
                f"Unpacked, the archive has more than the {limits.max_unpacked_bytes:,} bytes of "
                "DOCSHELF_MAX_UNPACKED_BYTES: unpack it and upload its files, or raise the limit."
            )
        if unpacked > _RATIO_COUNTS_FROM and unpacked > _LARGEST_RATIO * packed_bytes:
            raise DocumentTooLargeError("The archive is packed so densely that it cannot hold ordinary documents.")
    return count


def too_many_entries() -> DocumentTooLargeError:
    """The error for an archive of which not even the names are gone through."""
    return DocumentTooLargeError(
        f"The archive has more than {MOST_ENTRIES:,} entries: unpack it and upload the files that are to be searched."
    )
