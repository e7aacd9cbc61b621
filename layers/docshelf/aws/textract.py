"""Jobs of Amazon Textract that recognise the text of a document in a bucket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from botocore.exceptions import ClientError

from docshelf.aws.clients import textract_client
from docshelf.aws.faults import code_of, faults_of
from docshelf.errors import (
    DocumentError,
    DocumentTooLargeError,
    ParseFailedError,
    RecognitionBusyError,
    RecognitionFailedError,
    RecognitionLostError,
    StoreDeniedError,
    StoreRefusedError,
    UnsupportedDocumentError,
)

_PLACE = "Amazon Textract"
_MOST_BLOCKS = 1_000
_JOB_TAG = "docshelf"
_BUSY = frozenset({"LimitExceededException", "ProvisionedThroughputExceededException", "ThrottlingException"})
_OF_THE_DOCUMENT: Mapping[str, tuple[type[DocumentError], str]] = {
    "UnsupportedDocumentException": (UnsupportedDocumentError, "does not take a file of this kind"),
    "DocumentTooLargeException": (DocumentTooLargeError, "takes no file of this size: split it"),
    "BadDocumentException": (ParseFailedError, "cannot read the file: it may be damaged"),
}
_HINTS = {
    "InvalidS3ObjectException": "it cannot read the object, which must be in the same region and readable for the role "
    "of the ingest function, together with the key of its encryption",
    "InvalidKMSKeyException": "it cannot use the key of the object's encryption",
    "InvalidParameterException": "check DOCSHELF_OCR_TOPIC and DOCSHELF_OCR_ROLE",
}


class JobStatus(StrEnum):
    """How far a job is."""

    IN_PROGRESS = "IN_PROGRESS"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    PARTIAL_SUCCESS = "PARTIAL_SUCCESS"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of words on a `page`, counted from 1; `confidence` in percent, places in shares of the page's size."""

    page: int
    text: str
    confidence: float
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class JobPart:
    """A part of a job's answer; `next_token` leads to the next. `failed_pages` has codes by the pages they are of."""

    status: JobStatus
    message: str = ""
    pages: int = 0
    lines: Sequence[Line] = ()
    failed_pages: Mapping[int, str] = field(default_factory=dict)
    next_token: str | None = None


class Textract:
    """Starts jobs over one bucket's documents, and asks for them.

    Every method raises StoreUnavailableError where there is no answer after all attempts, RecognitionBusyError where
    Textract takes no more just now, and RecognitionFailedError where a permission or setting is wrong.
    """

    def __init__(self, bucket: str, topic: str | None = None, role: str | None = None) -> None:
        """Ends of jobs are published to the SNS topic `topic` (ARN) by the role `role` (ARN); to nobody without."""
        self.bucket = bucket
        self._channel = {"NotificationChannel": {"SNSTopicArn": topic, "RoleArn": role}} if topic and role else {}

    @property
    def channel(self) -> str:
        """What names where ends are published to."""
        return repr(self._channel)

    def start(self, key: str, token: str) -> str:
        """Begin to recognise the document `key`, and return the job; the same `token` never begins a second one.

        Raises:
            UnsupportedDocumentError, DocumentTooLargeError, ParseFailedError: this document cannot be recognised.
        """
        with _faults("textract:StartDocumentTextDetection"):
            answer = textract_client().start_document_text_detection(
                DocumentLocation={"S3Object": {"Bucket": self.bucket, "Name": key}},
                ClientRequestToken=token,
                JobTag=_JOB_TAG,
                **self._channel,
            )
            return str(answer["JobId"])

    def part(self, job: str, next_token: str | None = None) -> JobPart:
        """How far `job` is; of one that has ended the first part of its lines, or the one that `next_token` names.

        Raises:
            RecognitionLostError: there is no such job, or its answer is not kept any more.
            ParseFailedError: the state of the job is not one that is known here.
        """
        with _faults("textract:GetDocumentTextDetection"):
            token = {"NextToken": next_token} if next_token else {}
            answer = textract_client().get_document_text_detection(JobId=job, MaxResults=_MOST_BLOCKS, **token)
        return JobPart(
            status=_status(answer.get("JobStatus")),
            message=answer.get("StatusMessage", ""),
            pages=answer.get("DocumentMetadata", {}).get("Pages", 0),
            lines=tuple(_line(block) for block in answer.get("Blocks", ()) if block.get("BlockType") == "LINE"),
            failed_pages={
                page: str(warning.get("ErrorCode", ""))
                for warning in answer.get("Warnings", ())
                for page in warning.get("Pages", ())
            },
            next_token=answer.get("NextToken"),
        )


def _status(told: object) -> JobStatus:
    """Raises ParseFailedError for one that this version does not know."""
    try:
        return JobStatus(str(told))
    except ValueError:
        raise ParseFailedError(f"{_PLACE} tells a state of the job that is not known here.") from None


def _line(block: Mapping[str, Any]) -> Line:
    box = block.get("Geometry", {}).get("BoundingBox", {})
    return Line(
        page=block.get("Page", 1),
        text=block.get("Text", ""),
        confidence=block.get("Confidence", 0.0),
        left=box.get("Left", 0.0),
        top=box.get("Top", 0.0),
        width=box.get("Width", 0.0),
        height=box.get("Height", 0.0),
    )


@contextmanager
def _faults(action: str) -> Iterator[None]:
    try:
        with faults_of(_PLACE, action):
            try:
                yield
            except ClientError as error:
                code = code_of(error)
                if code in _BUSY:
                    raise RecognitionBusyError(f"{_PLACE} takes no more just now ({code}).") from error
                if code == "InvalidJobIdException":
                    raise RecognitionLostError(f"{_PLACE} does not know the job any more.") from error
                if code in _OF_THE_DOCUMENT:
                    kind, what = _OF_THE_DOCUMENT[code]
                    raise kind(f"{_PLACE} {what} ({code}).") from error
                if code in _HINTS:
                    raise RecognitionFailedError(f"{_PLACE} refuses the document ({code}): {_HINTS[code]}.") from error
                raise
    except RecognitionLostError:
        raise
    except (StoreDeniedError, StoreRefusedError) as error:
        raise RecognitionFailedError(error.sentence) from error
