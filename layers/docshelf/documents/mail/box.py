"""MBOX: the mails of a folder, one after another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from docshelf.documents.mail.detection import FIRST_LINE
from docshelf.documents.mail.message import mail_attachments, mail_warnings, parse_mail
from docshelf.documents.mail.model import Attachment
from docshelf.documents.mail.parts import read_mail
from docshelf.documents.mail.writer import write_mail
from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document
from docshelf.documents.office.office_package import titled
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.errors import EncryptedDocumentError
from docshelf.settings import Limits

_MOST_MAILS = 10_000
_FIRST_LINE = re.compile(rb"(?:\A|(?<=\n)\r?\n)" + FIRST_LINE.encode("ascii"))


def parse_mail_box(data: bytes, key: str, limits: Limits) -> Document:
    """Read each mail as a section under its subject; a single mail as one that was sent by itself.

    Raises:
        EmptyDocumentError: there is no text.
        DocumentTooLargeError: the text is longer than `limits.max_characters`.
        EncryptedDocumentError: none of the mails can be read without a key.
    """
    starts = [match.end() for match in _FIRST_LINE.finditer(data)]
    if len(starts) < 2:
        return replace(parse_mail(data, key, limits), attachments=sum(1 for _ in mail_box_attachments(data)))
    builder = PieceBuilder(limits)
    warnings: list[str] = []
    encrypted = count = attachments = 0
    for content in _mails(data):
        count += 1
        if count > _MOST_MAILS:
            warnings.append(f"The file has more than {_MOST_MAILS:,} mails; the rest was left out.")
            break
        mail = read_mail(content)
        warnings += mail_warnings(mail)
        encrypted += mail.is_encrypted and not mail.bodies
        attachments += len(mail.all_attachments())
        builder.close_headings()
        mail.subject = mail.subject or "(no subject)"
        write_mail(builder, mail)
    if encrypted == count:
        raise EncryptedDocumentError("Every mail in the file is encrypted.")
    document = builder.document(titled("", "", key), MediaType.MBOX, warnings=warnings)
    return replace(document, attachments=attachments)


def mail_box_attachments(data: bytes) -> Iterator[Attachment]:
    """The files that came with the mails of a folder, one mail at a time."""
    for number, content in enumerate(_mails(data)):
        if number == _MOST_MAILS:
            return
        yield from mail_attachments(content)


def _mails(data: bytes) -> Iterator[bytes]:
    """The content of each mail, without the line that begins it."""
    start: int | None = None
    for match in _FIRST_LINE.finditer(data):
        if start is not None:
            yield data[start : match.start()]
        start = match.end()
    if start is not None:
        yield data[start:]
