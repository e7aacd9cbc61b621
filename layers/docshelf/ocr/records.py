"""What is kept of the recognition of one document, beside the index: its job, how often it was paid for, its text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from docshelf.aws.objects import ObjectStore
from docshelf.observability import logger
from docshelf.ocr.reading import Recognised

RECORDS_PREFIX = "ocr/"

_FORM = 1
_MOST_BYTES = 400_000_000


@dataclass(frozen=True, slots=True)
class Record:
    """Of the content `sha256`, which the object had in `version`.

    `starts` counts the jobs that were begun for this version; the last was begun, or failed, at `started`. `job` is the
    one under way, `failure` says why the last one has no text, `text` is what a job gave.
    """

    version: str
    sha256: str
    starts: int = 0
    started: datetime | None = None
    job: str | None = None
    failure: str | None = None
    text: Recognised | None = None


class Records:
    """One record a key, under a name that does not tell the key. It goes with its document.

    Every method raises StoreUnavailableError, StoreDeniedError and StoreRefusedError as `ObjectStore` does.
    """

    def __init__(self, store: ObjectStore, bucket: str) -> None:
        """`store` is where the index is, `bucket` the name of the documents' bucket."""
        self._store = store
        self._bucket = bucket

    def read(self, key: str) -> Record | None:
        """The record of `key`; None where there is none, or one that cannot be read, which is logged."""
        stored = self._store.get(self._name(key), _MOST_BYTES)
        if stored is None:
            return None
        try:
            return _record(json.loads(stored.data))
        except (ValueError, TypeError, KeyError, RecursionError):
            logger.error("The record of a recognition is damaged; it is begun anew.", key=key)
            return None

    def write(self, key: str, record: Record) -> None:
        """Put `record` in the place of what is there."""
        told = {"form": _FORM, **asdict(record), "started": record.started.isoformat() if record.started else None}
        self._store.put(self._name(key), json.dumps(told, ensure_ascii=False).encode())

    def forget(self, key: str) -> None:
        """Remove what is kept of `key`, if anything is."""
        self._store.delete([self._name(key)])

    def _name(self, key: str) -> str:
        return f"{RECORDS_PREFIX}{hashlib.sha256(f'{self._bucket}/{key}'.encode()).hexdigest()}.json"


def _record(told: Mapping[str, object]) -> Record:
    """The record of a JSON object.

    Raises:
        ValueError, TypeError, KeyError: it is none.
    """
    if told["form"] != _FORM:
        raise ValueError("another form")
    starts, started = told["starts"], told["started"]
    if not isinstance(starts, int):
        raise TypeError("starts")
    return Record(
        version=_text(told["version"]),
        sha256=_text(told["sha256"]),
        starts=starts,
        started=None if started is None else _moment(_text(started)),
        job=None if told["job"] is None else _text(told["job"]),
        failure=None if told["failure"] is None else _text(told["failure"]),
        text=None if told["text"] is None else _recognised(told["text"]),
    )


def _recognised(told: object) -> Recognised:
    if not isinstance(told, dict) or not isinstance(told["confidence"], int | float):
        raise TypeError("text")
    return Recognised(_texts(told["pages"]), float(told["confidence"]), _texts(told["warnings"]))


def _moment(told: str) -> datetime:
    moment = datetime.fromisoformat(told)
    if moment.tzinfo is None:
        raise ValueError("a moment without its time zone")
    return moment


def _texts(told: object) -> tuple[str, ...]:
    if not isinstance(told, list):
        raise TypeError("a list")
    return tuple(map(_text, told))


def _text(told: object) -> str:
    if not isinstance(told, str):
        raise TypeError("a text")
    return told
