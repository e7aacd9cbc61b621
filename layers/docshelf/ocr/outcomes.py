"""What a look at a scan ends with: a text, or the state and sentence of one that has none yet or at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from docshelf.documents.archives.members import Members
from docshelf.documents.model import Document
from docshelf.drafts import Draft
from docshelf.errors import DocumentError, RecognitionFailedError, RecognitionGivenUpError, RecognitionWaitingError
from docshelf.ocr.records import Record
from docshelf.ocr.scans import Scan

MOST_STARTS = 3
"""Jobs that are begun for one version of a document, each of which may be paid for."""


@dataclass(frozen=True, slots=True)
class Told:
    """A parser that says what recognition gave."""

    outcome: Document | DocumentError

    def parse(self, data: bytes, key: str) -> Document:
        """Give the document; raises the error that it is instead."""
        if isinstance(self.outcome, DocumentError):
            raise self.outcome
        return self.outcome

    def unpack(self, data: bytes, key: str, start: int) -> Members:
        """Nothing: what a scan holds besides its text was unpacked before."""
        return Members((), more=False)


def with_members(made: Draft, draft: Draft) -> Draft:
    """The draft of a recognised text with what was found in the file without recognition."""
    warnings = (*made.record.warnings, *draft.record.warnings)
    return replace(
        made, record=replace(made.record, warnings=warnings, members=draft.record.members), members=draft.members
    )


def waiting(since: datetime, scan: Scan) -> RecognitionWaitingError:
    """Of a scan whose job is under way."""
    return RecognitionWaitingError(
        f"Its text is being recognised (OCR) since {since.astimezone(UTC):%Y-%m-%d %H:%M} UTC.", scan.pages
    )


def failed(record: Record) -> DocumentError:
    """Of a record whose last job gave no text."""
    reason = f"Amazon Textract could not recognise the text ({record.failure})"
    if record.starts < MOST_STARTS:
        return RecognitionFailedError(f"{reason}: it is tried again later.")
    return RecognitionGivenUpError(f"{reason}, in {record.starts} attempts: run OCR over the file and replace it.")
