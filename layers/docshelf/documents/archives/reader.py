"""ZIP and TAR archives: no text of their own, and files that are documents by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from docshelf.documents.archives.entries import Entry, check_entries
from docshelf.documents.archives.tar import is_tar, opened_tar
from docshelf.documents.archives.zip import opened_zip
from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document
from docshelf.documents.tiling import title_from_key
from docshelf.errors import EmptyDocumentError
from docshelf.settings import Limits


def parse_archive(data: bytes, key: str, limits: Limits) -> Document:
    """Count the files of an archive, which `unpacking.unpack` gives; the document itself has no text.

    Raises:
        EmptyDocumentError: it holds no file that could be a document.
        DocumentTooLargeError: it holds more than `limits` allow.
        ParseFailedError: it is damaged.
    """
    with opened_archive(data) as (entries, passed):
        count = check_entries(entries, len(data), limits)
        links = len(passed)
    if not count:
        raise EmptyDocumentError("The archive holds no files, or only such as are never documents.")
    warnings = (f"Links and devices in the archive were left out ({links:,}).",) if links else ()
    media_type = MediaType.TAR if is_tar(data) else MediaType.ZIP
    return Document(title_from_key(key), "", (), media_type, warnings=warnings, attachments=count)


@contextmanager
def opened_archive(data: bytes) -> Iterator[tuple[Iterable[Entry], list[str]]]:
    """The files of an archive as they come, and the names of the links among them, whole once all have come.

    Opening and going through them raises:
        ParseFailedError, DocumentTooLargeError: as `parse_archive`.
    """
    with opened_tar(data) if is_tar(data) else opened_zip(data) as (entries, passed):
        yield entries, passed
