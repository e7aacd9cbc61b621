"""The files that are attached to a PDF."""

from __future__ import annotations

import re
from ctypes import byref, c_char, c_ulong
from dataclasses import replace
from functools import partial
from typing import Any

from pypdfium2 import raw

from docshelf.documents.html.text import one_line
from docshelf.documents.mail.model import Attachment, attachment_name
from docshelf.documents.model import Document
from docshelf.documents.pdf.annotations import text_of
from docshelf.documents.pdf.engine import Pdf, Pinned
from docshelf.errors import DocumentTooLargeError, ParseFailedError
from docshelf.settings import Limits

MOST_ATTACHMENTS = 1_000
"""Files of one PDF that are read."""

_LONGEST_TYPE = 100
_ANY_TYPE = "application/octet-stream"
_UNREAD = re.compile(r"\d+ attached files? (?:is|are) not read\.")


def pdf_attachments(data: bytes, limits: Limits) -> list[Attachment]:
    """The files attached to the PDF `data` as a whole, then those pinned to its pages; the first `MOST_ATTACHMENTS`.

    `read` raises DocumentTooLargeError for one of more than `limits.max_bytes`, ParseFailedError where it is damaged.

    Raises:
        EncryptedDocumentError: a password is needed to open the PDF.
        ParseFailedError: it is too damaged to be opened.
    """
    with Pdf(data) as pdf:
        return [
            Attachment(
                attachment_name(text_of(partial(raw.FPDFAttachment_GetName, file)), number),
                one_line(text_of(partial(raw.FPDFAttachment_GetSubtype, file)))[:_LONGEST_TYPE] or _ANY_TYPE,
                _size(file),
                partial(_content, data, place, limits),
            )
            for number, (place, file) in enumerate(pdf.attached(MOST_ATTACHMENTS), 1)
        ]


def unread_attachments(count: int) -> str:
    """The warning that so many attached files are not read."""
    return f"{count} attached file{'s are' if count > 1 else ' is'} not read."


def with_attachments_read(document: Document) -> Document:
    """`document` without that warning, for who reads its attachments."""
    return replace(document, warnings=tuple(one for one in document.warnings if not _UNREAD.fullmatch(one)))


def _content(data: bytes, place: Pinned, limits: Limits) -> bytes:
    with Pdf(data) as pdf, pdf.attachment(place) as file:
        size = _size(file) if file else 0
        if size > limits.max_bytes:
            raise DocumentTooLargeError(
                f"The attached file has {size:,} bytes, more than the {limits.max_bytes:,} of DOCSHELF_MAX_BYTES."
            )
        buffer, written = (c_char * size)(), c_ulong()
        if file and raw.FPDFAttachment_GetFile(file, buffer, size, byref(written)) and written.value <= size:
            return buffer.raw[: written.value]
    raise ParseFailedError("The attached file is damaged, or kept in an unusual way: its content cannot be read.")


def _size(file: Any) -> int:
    """Bytes of the content, 0 where it cannot be read."""
    size = c_ulong()
    return size.value if raw.FPDFAttachment_GetFile(file, None, 0, byref(size)) else 0
