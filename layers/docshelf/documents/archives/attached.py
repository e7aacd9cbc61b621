"""How many files lie in a PDF, which its text does not tell."""

from __future__ import annotations

from dataclasses import replace

from docshelf.documents.media_types import MediaType
from docshelf.documents.model import Document
from docshelf.errors import EmptyDocumentError
from docshelf.settings import Limits


def with_attachments(document: Document, data: bytes, limits: Limits) -> Document:
    """`document` with the number of files attached to it, where it is a PDF that has any; else as it is."""
    if document.media_type != MediaType.PDF:
        return document
    from docshelf.documents.pdf.attachments import MOST_ATTACHMENTS, pdf_attachments, with_attachments_read

    read = with_attachments_read(document)
    if read == document:
        return document
    count = len(pdf_attachments(data, limits))
    more = (f"Only the first {count:,} attached files are read.",) if count == MOST_ATTACHMENTS else ()
    return replace(read, attachments=count, warnings=(*read.warnings, *more))


def with_attachments_of_empty(
    error: EmptyDocumentError, media_type: MediaType, data: bytes, limits: Limits
) -> EmptyDocumentError:
    """`error` with the number of files attached to a PDF without text; else as it is."""
    if media_type is not MediaType.PDF:
        return error
    from docshelf.documents.pdf.attachments import pdf_attachments

    return EmptyDocumentError(error.sentence, error.pages, len(pdf_attachments(data, limits)))
