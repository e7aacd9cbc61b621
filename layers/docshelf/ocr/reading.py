"""The answer of a job of recognition: all its parts, within bounds, as the text of each page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace

from docshelf.aws.textract import JobPart, JobStatus, Line, Textract
from docshelf.errors import DocumentTooLargeError, ParseFailedError, StoreUnavailableError
from docshelf.ocr.order import page_text
from docshelf.settings import Limits

MOST_PAGES = 3_000
"""Of one document, as Amazon Textract takes it."""

_MOST_PARTS = 20_000
_LOW_CONFIDENCE = 80.0
_NAMED_PAGES = 20


@dataclass(frozen=True, slots=True)
class Recognised:
    """The text of each page, empty for one without, the mean `confidence` of their characters in percent, warnings."""

    pages: tuple[str, ...]
    confidence: float
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A job without a text; `message` is what the service says of one that failed."""

    status: JobStatus
    message: str = ""


def read_job(textract: Textract, job: str, limits: Limits, has_time: Callable[[], bool]) -> Recognised | Unfinished:
    """What came of `job`.

    Raises:
        DocumentTooLargeError: more text than `limits.max_characters`.
        ParseFailedError: the answer does not fit together.
        StoreUnavailableError: no answer, or the time is up before its last part.
        RecognitionLostError: there is no such job (any more).
    """
    part = textract.part(job)
    if part.status not in (JobStatus.SUCCEEDED, JobStatus.PARTIAL_SUCCESS):
        return Unfinished(part.status, part.message)
    collected = _Collected(limits)
    collected.take(part)
    led: set[str] = set()
    for _ in range(_MOST_PARTS):
        if part.next_token is None:
            return collected.recognised()
        if part.next_token in led:
            raise ParseFailedError("The answer of Amazon Textract goes in a circle.")
        led.add(part.next_token)
        if not has_time():
            raise StoreUnavailableError("There was no time left for the whole answer of Amazon Textract.")
        part = textract.part(job, part.next_token)
        collected.take(part)
    raise ParseFailedError(f"The answer of Amazon Textract has more than {_MOST_PARTS:,} parts.")


def against(found: Recognised, pages: int) -> Recognised:
    """The text with a warning where it is of fewer pages than the `pages` that the document has."""
    if len(found.pages) >= pages:
        return found
    warning = f"Amazon Textract gave the text of {len(found.pages):,} of the {pages:,} pages."
    return replace(found, warnings=(*found.warnings, warning))


class _Collected:
    """The lines of a job's parts so far."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pages = 0
        self._characters = 0
        self._sure = 0.0
        self._lines: defaultdict[int, list[Line]] = defaultdict(list)
        self._failed: dict[int, str] = {}

    def take(self, part: JobPart) -> None:
        self._pages = max(self._pages, part.pages)
        self._failed.update(part.failed_pages)
        for line in part.lines:
            self._characters += len(line.text)
            self._sure += len(line.text) * line.confidence
            self._lines[line.page].append(line)
        if not all(1 <= page <= max(self._pages, 1) for page in (*self._lines, *self._failed)):
            raise ParseFailedError("The answer of Amazon Textract names pages that the document does not have.")
        if self._characters > self._limits.max_characters:
            raise DocumentTooLargeError(
                f"The recognised text has more than the {self._limits.max_characters:,} characters that "
                "DOCSHELF_MAX_CHARACTERS allows."
            )

    def recognised(self) -> Recognised:
        if self._pages > MOST_PAGES:
            raise ParseFailedError("The answer of Amazon Textract is of more pages than it takes.")
        confidence = self._sure / self._characters if self._characters else 100.0
        pages = tuple(_clean(page_text(self._lines[page])) for page in range(1, max(self._pages, 1) + 1))
        return Recognised(pages, confidence, tuple(self._warnings(confidence)))

    def _warnings(self, confidence: float) -> list[str]:
        warnings = []
        if self._failed:
            pages = sorted(self._failed)
            named = ", ".join(map(str, pages[:_NAMED_PAGES])) + (" and more" if len(pages) > _NAMED_PAGES else "")
            codes = ", ".join(sorted(set(filter(None, self._failed.values()))))[:200] or "no reason given"
            which = "Pages" if len(pages) > 1 else "Page"
            warnings.append(f"{which} {named} could not be recognised by Amazon Textract ({codes}).")
        if confidence < _LOW_CONFIDENCE:
            warnings.append(
                f"The text was recognised from pictures with a mean confidence of {confidence:.0f} %: compare it with "
                "the original."
            )
        return warnings


def _clean(text: str) -> str:
    """Without what no document may hold."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
