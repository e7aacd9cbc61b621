"""MSG: a mail as Outlook saves it, with olefile."""

from __future__ import annotations

from functools import partial

from docshelf.documents.mail.body import html_body, is_stand_in, paragraphs
from docshelf.documents.mail.headers import date_line, header_text
from docshelf.documents.mail.message import mail_document
from docshelf.documents.mail.model import DEEPEST_FORWARD, MOST_PARTS, Attachment, Mail, attachment_name
from docshelf.documents.mail.outlook_store import DAMAGED, Store, damaged, decoded, open_store
from docshelf.documents.mail.parts import read_mail
from docshelf.documents.mail.rtf_packed import unpacked_rtf
from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document
from docshelf.documents.pieces import Piece
from docshelf.documents.rtf.document import parse_rtf
from docshelf.errors import EmptyDocumentError, ParseFailedError
from docshelf.settings import Limits

_ATTACHMENTS = "__attach_version1.0_"
_CLASS, _SUBJECT, _SUBMITTED, _DELIVERED, _CREATED = 0x001A, 0x0037, 0x0039, 0x0E06, 0x3007
_SENDER, _SENDER_ADDRESS, _SENDER_SMTP, _FOR, _FOR_SMTP = 0x0C1A, 0x0C1F, 0x5D01, 0x0042, 0x5D02
_TO, _CC = 0x0E04, 0x0E03
_BODY, _PACKED_RTF, _HTML = 0x1000, 0x1009, 0x1013
_CONTENT, _LONG_NAME, _NAME, _SHOWN_NAME, _MIME_TYPE, _HIDDEN = 0x3701, 0x3707, 0x3704, 0x3001, 0x370E, 0x7FFE
_INTERNET_CODE_PAGE = 0x3FDE
_SEALED = "IPM.NOTE.SMIME"
_SIGNED = "IPM.NOTE.SMIME.MULTIPARTSIGNED"


def parse_mail_outlook(data: bytes, key: str, limits: Limits) -> Document:
    """Read a message, note, task or appointment of Outlook with the messages that are attached to it.

    Raises:
        EmptyDocumentError: there is no text.
        DocumentTooLargeError: the text is longer than `limits.max_characters`.
        EncryptedDocumentError: the text cannot be read without a key.
        ParseFailedError: the file is damaged.
    """
    return mail_document(_opened(data, limits), key, limits, MediaType.MSG)


def outlook_attachments(data: bytes, limits: Limits) -> list[Attachment]:
    """The files that came with the message and with those attached to it.

    Raises:
        ParseFailedError: the file is damaged.
    """
    return _opened(data, limits).all_attachments()


def _opened(data: bytes, limits: Limits) -> Mail:
    store = open_store(data)
    try:
        return _Reader(limits).read(store, 0)
    except DAMAGED as error:
        raise damaged() from error


class _Reader:
    """Reads one message with all that it contains, up to `MOST_PARTS` attachments."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._parts = 0

    def read(self, store: Store, forwards: int) -> Mail:
        mail = Mail(subject=header_text(store.text(_SUBJECT)))
        moment = store.moment(_SUBMITTED, _DELIVERED, _CREATED)
        named = [
            ("From", _sender(store)),
            ("To", header_text(store.text(_TO))),
            ("Cc", header_text(store.text(_CC))),
            ("Date", date_line(moment) if moment else ""),
        ]
        mail.people = [(name, value) for name, value in named if value]
        kind = store.text(_CLASS).upper()
        if kind.startswith(_SIGNED):
            self._add_signed(mail, store)
        elif kind.startswith(_SEALED):
            mail.is_encrypted = True
        else:
            mail.bodies += self._bodies(store)
            self._add_attachments(mail, store, forwards)
        return mail

    def _bodies(self, store: Store) -> list[str | list[Piece]]:
        plain = paragraphs(store.text(_BODY))
        page = store.binary(_HTML)
        code_page = store.number(_INTERNET_CODE_PAGE)
        text = decoded(page, "utf-8" if code_page == 65_001 else f"cp{code_page}") if page else store.text(_HTML)
        pieces = html_body(text) if text else []
        if pieces and is_stand_in(plain, pieces):
            return [pieces]
        return [plain or self._from_rtf(store.binary(_PACKED_RTF))]

    def _from_rtf(self, packed: bytes) -> str:
        content = unpacked_rtf(packed, self._limits.max_bytes)
        try:
            return parse_rtf(content, "", self._limits).text
        except (EmptyDocumentError, ParseFailedError):
            return ""

    def _add_attachments(self, mail: Mail, store: Store, forwards: int) -> None:
        for attached in store.within(_ATTACHMENTS):
            self._parts += 1
            if self._parts > MOST_PARTS:
                mail.warnings.append("The mail has too many parts; not all of them were read.")
                return
            inner = attached.embedded()
            if inner is not None and forwards < DEEPEST_FORWARD:
                mail.forwarded.append(self.read(inner, forwards + 1))
            elif not attached.number(_HIDDEN) & 0xFF:
                name = attached.text(_LONG_NAME, _NAME, _SHOWN_NAME)
                kind = header_text(attached.text(_MIME_TYPE))[:100] or "application/octet-stream"
                name = attachment_name(name, len(mail.attachments) + 1)
                read = partial(_content, attached)
                mail.attachments.append(Attachment(name, kind, attached.size(_CONTENT), read))

    def _add_signed(self, mail: Mail, store: Store) -> None:
        """A signed message is kept as it was sent, in its only attachment."""
        sent = [read_mail(attached.binary(_CONTENT)) for attached in store.within(_ATTACHMENTS)[:1]]
        for inner in sent:
            mail.bodies += inner.bodies
            mail.attachments += inner.attachments
            mail.forwarded += inner.forwarded
            mail.is_encrypted |= inner.is_encrypted


def _content(attached: Store) -> bytes:
    """The content of an attachment; raises ParseFailedError where it is damaged."""
    try:
        return attached.binary(_CONTENT)
    except DAMAGED as error:
        raise damaged() from error


def _sender(store: Store) -> str:
    name = header_text(store.text(_SENDER, _FOR))
    address = header_text(store.text(_SENDER_SMTP, _FOR_SMTP, _SENDER_ADDRESS))
    if "@" not in address or address == name:
        return name or address
    return f"{name} <{address}>".strip()
