"""Which files are scans: what their pictures show can be recognised, and nothing else of them can be read."""

from __future__ import annotations

from dataclasses import dataclass

from docshelf.documents.detection import is_pdf
from docshelf.errors import DocumentTooLargeError
from docshelf.index.records import DocumentRecord
from docshelf.ocr.pictures import TIFF, picture_of
from docshelf.ocr.reading import MOST_PAGES
from docshelf.settings import Limits
from docshelf.states import State

PDF = "pdf"

_LARGEST = {PDF: 500_000_000, TIFF: 500_000_000}
_LARGEST_PICTURE = 10_000_000
_LONGEST_SIDE = 10_000
"""Bytes and pixels, as Amazon Textract documents what its asynchronous operations take."""


@dataclass(frozen=True, slots=True)
class Scan:
    """A file of so many `pages` and bytes (`size`); `longest_side` in pixels, 0 where it is not known."""

    media_type: str
    pages: int
    size: int
    longest_side: int = 0


def scan_of(record: DocumentRecord, data: bytes) -> Scan | None:
    """What is to be recognised of the file `data`, which ended as `record` without recognition; None for nothing."""
    if record.state is State.EMPTY and record.pages and is_pdf(data, record.source):
        return Scan(PDF, record.pages, len(data))
    if record.state is State.UNSUPPORTED:
        picture = picture_of(data, MOST_PAGES)
        return Scan(picture.kind, picture.pages, len(data), picture.longest_side) if picture else None
    return None


def check(scan: Scan, limits: Limits) -> None:
    """Let a scan pass that may be sent and paid for.

    Raises:
        DocumentTooLargeError: it has more pages than the setting allows, or is larger than Amazon Textract takes.
    """
    if scan.pages > limits.ocr_max_pages:
        raise DocumentTooLargeError(
            f"The scan has {_counted(scan.pages)} pages, more than the {limits.ocr_max_pages:,} that "
            "DOCSHELF_OCR_MAX_PAGES allows to be recognised: split it, or raise the setting."
        )
    if scan.pages > MOST_PAGES:
        raise DocumentTooLargeError(
            f"The scan has {_counted(scan.pages)} pages, and Amazon Textract takes {MOST_PAGES:,}: split it."
        )
    largest = _LARGEST.get(scan.media_type, _LARGEST_PICTURE)
    if scan.size > largest:
        raise DocumentTooLargeError(
            f"The scan has {scan.size:,} bytes, and Amazon Textract takes {largest:,} of a {scan.media_type.upper()} "
            "file: split it, or save it with less detail."
        )
    if scan.longest_side > _LONGEST_SIDE:
        raise DocumentTooLargeError(
            f"The picture is {scan.longest_side:,} pixels long, and Amazon Textract takes {_LONGEST_SIDE:,}: save it "
            "smaller."
        )


def _counted(pages: int) -> str:
    return f"{pages:,}" if pages <= MOST_PAGES else f"more than {MOST_PAGES:,}"
