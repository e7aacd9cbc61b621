"""Taking apart what holds other files: archives, mails, PDFs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

from docshelf.documents.archives.entries import Entry
from docshelf.documents.archives.members import SLICE_BYTES, SLICE_MEMBERS, Member, Members, member_name
from docshelf.documents.archives.reader import opened_archive
from docshelf.documents.detection import detect
from docshelf.documents.mail.model import Attachment
from docshelf.documents.media_types import MediaType
from docshelf.errors import DocumentError, DocumentTooLargeError
from docshelf.settings import Limits


def unpack(data: bytes, key: str, limits: Limits, start: int) -> Members:
    """The files in `data`, the content of the file `key`, from the one of number `start` on: as many as a slice takes.

    They are those that the `attachments` of its document count, in the same order.

    Raises:
        DocumentError: it cannot be taken apart.
    """
    members: list[Member] = []
    size = 0
    with _opened(data, key, limits) as entries:
        for number, entry in enumerate(islice(entries, start, None), start + 1):
            if members and (size + entry.size > SLICE_BYTES or len(members) == SLICE_MEMBERS):
                return Members(tuple(members), more=True)
            members.append(_member(entry, number, limits))
            size += len(members[-1].data)
    return Members(tuple(members), more=False)


@contextmanager
def _opened(data: bytes, key: str, limits: Limits) -> Iterator[Iterable[Entry]]:
    media_type = detect(data, key)
    if media_type in (MediaType.ZIP, MediaType.TAR):
        with opened_archive(data) as (entries, _):
            yield entries
    else:
        yield _attached(media_type, data, limits)


def _attached(media_type: MediaType, data: bytes, limits: Limits) -> Iterable[Entry]:
    """What came with a mail or lies in a PDF; nothing for other formats. Modules are loaded when they are needed."""
    match media_type:
        case MediaType.MAIL:
            from docshelf.documents.mail.message import mail_attachments

            found: Iterable[Attachment] = mail_attachments(data)
        case MediaType.MBOX:
            from docshelf.documents.mail.box import mail_box_attachments

            found = mail_box_attachments(data)
        case MediaType.MSG:
            from docshelf.documents.mail.outlook import outlook_attachments

            found = outlook_attachments(data, limits)
        case MediaType.PDF:
            from docshelf.documents.pdf.attachments import pdf_attachments

            found = pdf_attachments(data, limits)
        case _:
            return ()
    return (Entry(each.name, each.size, each.read) for each in found)


def _member(entry: Entry, number: int, limits: Limits) -> Member:
    name, size, data = member_name(entry.name) or f"file-{number}", entry.size, b""
    error = entry.error or _too_large(size, limits)
    if error is None:
        try:
            data = entry.read()
            size, error = len(data), _too_large(len(data), limits)
        except DocumentError as failed:
            error = failed
    return Member(name, b"" if error else data, size, entry.modified_at, error)


def _too_large(size: int, limits: Limits) -> DocumentTooLargeError | None:
    if size <= limits.max_bytes:
        return None
    return DocumentTooLargeError(
        f"The file has {size:,} bytes, more than the {limits.max_bytes:,} of DOCSHELF_MAX_BYTES."
    )
