"""Recognising scans, one look after the other: a look begins a job, finds it under way, or finds its text.

Whatever tells that a job has ended only leads to another look, so that a lost message is made up for by the sweep, and
one that comes twice does nothing. What a job gave is kept with the document's key: another look, another index or the
same content uploaded again is not paid for again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from docshelf.aws.objects import ObjectStore
from docshelf.aws.textract import JobStatus, Textract
from docshelf.content_versions import version_of
from docshelf.documents.model import Document
from docshelf.drafts import Draft
from docshelf.errors import (
    DocumentError,
    RecognitionBusyError,
    RecognitionLostError,
    RecognitionWaitingError,
    StoreUnavailableError,
)
from docshelf.observability import Metric, emit, logger
from docshelf.ocr.documents import document_of
from docshelf.ocr.outcomes import MOST_STARTS, Told, failed, waiting, with_members
from docshelf.ocr.reading import Unfinished, against, read_job
from docshelf.ocr.records import Record, Records
from docshelf.ocr.scans import PDF, Scan, check, scan_of
from docshelf.prepare import Preparer
from docshelf.settings import CloudSettings, Limits
from docshelf.sources import Source, SourceContent
from docshelf.states import State

PAUSE = timedelta(hours=1)
"""What failed is not begun again within it: messages come twice, and faults pass slowly."""

_LONGEST_MESSAGE = 200


@dataclass(frozen=True, slots=True)
class Recogniser:
    """Recognises the scans of one bucket. `now` gives the time, aware, in UTC."""

    textract: Textract
    records: Records
    source: Source
    limits: Limits
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def improved(
        self,
        key: str,
        content: SourceContent,
        drafts: tuple[Draft, ...],
        preparers: Sequence[Preparer],
        has_time: Callable[[], bool],
        *,
        last: bool,
    ) -> tuple[Draft, ...]:
        """The drafts of `content`, one a preparer; of a scan, those of its recognised text, or why there is none yet.

        With `last`, a service that is busy makes the scan wait for the next sweep.

        Raises:
            StoreUnavailableError: the key must be looked at again.
            StoreDeniedError, StoreRefusedError: what is kept beside the index cannot be read or written.
        """
        scan = scan_of(drafts[0].record, content.data) if drafts else None
        if scan is None:
            return drafts
        told = Told(self._outcome(key, content, scan, has_time, last=last))
        made = (self._draft(replace(preparer, parser=told), key, content) for preparer in preparers)
        return tuple(with_members(each, draft) for each, draft in zip(made, drafts, strict=True))

    def forget(self, key: str) -> None:
        """Remove what was recognised of a document that is gone; raises as `improved`."""
        self.records.forget(key)

    def _draft(self, preparer: Preparer, key: str, content: SourceContent) -> Draft:
        draft = preparer.draft(key, content, content.version)
        if draft.record.state is not State.INDEXED:
            return draft
        version = version_of(content.version or content.sha256, State.INDEXED, self.limits, recognised=True)
        return replace(draft, record=replace(draft.record, version=version))

    def _outcome(
        self, key: str, content: SourceContent, scan: Scan, has_time: Callable[[], bool], *, last: bool
    ) -> Document | DocumentError:
        try:
            return self._document(key, content, scan, has_time)
        except RecognitionBusyError as error:
            if not last:
                raise
            return RecognitionWaitingError(f"{error.sentence} The next sweep tries again.", scan.pages)
        except DocumentError as error:
            return error

    def _document(self, key: str, content: SourceContent, scan: Scan, has_time: Callable[[], bool]) -> Document:
        record = self.records.read(key)
        if record is not None and record.text is not None and record.sha256 == content.sha256:
            return document_of(record.text, key, scan.media_type)
        version = content.version or content.sha256
        if record is None or record.version != version:
            record = Record(version, content.sha256)
        if record.job is None:
            if record.started and self.now() - record.started < PAUSE:
                raise failed(record)
            raise self._started(key, record, scan)
        try:
            found = read_job(self.textract, record.job, self.limits, has_time)
        except RecognitionLostError:
            lost = replace(record, job=None, failure="its answer was no longer kept")
            raise self._started(key, lost, scan) from None
        if isinstance(found, Unfinished):
            raise self._unfinished(key, record, found, scan)
        if scan.media_type == PDF:  # of a TIFF, small copies of its pages are counted as well
            found = against(found, scan.pages)
        self._check_unchanged(key, version)
        self.records.write(key, replace(record, job=None, failure=None, text=found))
        return document_of(found, key, scan.media_type)

    def _started(self, key: str, record: Record, scan: Scan) -> DocumentError:
        """Begin a job, unless that was done too often; the error says how it is.

        Raises:
            DocumentError: the scan may not be sent, or is refused.
        """
        if record.starts >= MOST_STARTS:
            return failed(record)
        check(scan, self.limits)
        now = self.now()
        job = self.textract.start(key, self._token(key, record))
        self.records.write(key, replace(record, job=job, starts=record.starts + 1, started=now, failure=None))
        logger.info("The text of a scan is being recognised.", key=key, pages=scan.pages, job=job)
        emit({Metric.RECOGNISED_PAGES: scan.pages})
        return waiting(now, scan)

    def _unfinished(self, key: str, record: Record, found: Unfinished, scan: Scan) -> DocumentError:
        if found.status is JobStatus.IN_PROGRESS:
            return waiting(record.started or self.now(), scan)
        message = " ".join(found.message.split())[:_LONGEST_MESSAGE] or "no reason given"
        ended = replace(record, job=None, failure=message, started=self.now())
        self.records.write(key, ended)
        logger.warning("The text of a scan was not recognised.", key=key, job=record.job, starts=record.starts)
        return failed(ended)

    def _check_unchanged(self, key: str, version: str) -> None:
        """What was recognised is of the content that was read, unless the object was replaced meanwhile."""
        entry = self.source.stat(key)
        if entry is None or entry.version != version:
            raise StoreUnavailableError("The object was replaced while its text was recognised.")

    def _token(self, key: str, record: Record) -> str:
        """The same for the same attempt, so that doing it twice begins one job."""
        parts = (self.textract.bucket, key, record.version, str(record.starts), self.textract.channel)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def recogniser_of(settings: CloudSettings, limits: Limits, source: Source, store: ObjectStore) -> Recogniser | None:
    """That of an environment, None where recognition is off; `store` is where the index is. Nothing is asked yet."""
    if not limits.recognises:
        return None
    textract = Textract(settings.bucket, settings.ocr_topic, settings.ocr_role)
    return Recogniser(textract, Records(store, settings.bucket), source, limits)
