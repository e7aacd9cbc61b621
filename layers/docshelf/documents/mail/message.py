"""EML: a mail as it was sent, with the mails that were forwarded in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from docshelf.documents.mail.model import Attachment, Mail
from docshelf.documents.mail.parts import read_mail
from docshelf.documents.mail.writer import write_mail
from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document
from docshelf.documents.piece_builder import PieceBuilder
from docshelf.documents.tiling import shortened, title_from_key
from docshelf.errors import EncryptedDocumentError
from docshelf.settings import Limits

_MARK = b"\xef\xbb\xbf"
_PARTLY_ENCRYPTED = "A part of the mail is encrypted and was left out."


def parse_mail(data: bytes, key: str, limits: Limits) -> Document:
    """Read who wrote to whom, the plain text or else the HTML, the names of attachments, and forwarded mails.

    Raises:
        EmptyDocumentError: there is no text.
        DocumentTooLargeError: the text is longer than `limits.max_characters`.
        EncryptedDocumentError: the text cannot be read without a key.
    """
    return mail_document(read_mail(_trimmed(data)), key, limits, MediaType.MAIL)


def mail_attachments(data: bytes) -> list[Attachment]:
    """The files that came with the mail `data` and with those forwarded in it; empty for an encrypted mail."""
    return read_mail(_trimmed(data)).all_attachments()


def mail_document(mail: Mail, key: str, limits: Limits, media_type: MediaType) -> Document:
    """The document that `mail` is.

    Raises:
        EmptyDocumentError, DocumentTooLargeError, EncryptedDocumentError: as `parse_mail`.
    """
    if mail.is_encrypted and not mail.bodies and not mail.forwarded:
        raise EncryptedDocumentError(
            "The mail is encrypted; save its text without the encryption to make it searchable."
        )
    builder = PieceBuilder(limits)
    write_mail(builder, mail)
    title = shortened(mail.subject) or title_from_key(key)
    document = builder.document(title, media_type, warnings=mail_warnings(mail))
    return replace(document, attachments=len(mail.all_attachments()))


def mail_warnings(mail: Mail) -> Sequence[str]:
    """What was lost in `mail` and in those forwarded with it."""
    warnings, pending = [], [mail]
    while pending:
        one = pending.pop()
        warnings += one.warnings
        if one.is_encrypted:
            warnings.append(_PARTLY_ENCRYPTED)
        pending += one.forwarded
    return list(dict.fromkeys(warnings))


def _trimmed(data: bytes) -> bytes:
    """Without a byte order mark or blank lines before the first header."""
    return data.removeprefix(_MARK).lstrip(b"\r\n")
