"""Looking at one object as it is now: content, absence, or the state that it is in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from docshelf.content_versions import version_of
from docshelf.drafts import Draft, problem_draft
from docshelf.errors import (
    DocumentError,
    DocumentTooLargeError,
    SourceVanishedError,
    StoreDeniedError,
    StoreUnavailableError,
    UnreadableFileError,
)
from docshelf.settings import Limits
from docshelf.sources import Source, SourceContent, SourceEntry

UNKNOWN_VERSION = "unknown"
"""The version of an object of which the bucket tells nothing: neither reading it nor listing it is allowed."""


@dataclass(frozen=True, slots=True)
class Seen:
    """An object: `version` is None where there is none; `content` is what was read, or the error that is its state."""

    key: str
    version: str | None
    content: SourceContent | DocumentError | None
    size: int = 0
    modified_at: datetime | None = None


def look(source: Source, key: str, limits: Limits) -> Seen:
    """Read the object under `key`.

    Raises:
        StoreUnavailableError: the bucket did not answer, or asked to slow down; or the object changed meanwhile.
    """
    try:
        content = source.read(key, limits.max_bytes)
    except SourceVanishedError:
        return Seen(key, None, None)
    except DocumentTooLargeError as error:
        entry = current(source, key)
        if entry is not None and entry.size <= limits.max_bytes and entry.version != UNKNOWN_VERSION:
            raise StoreUnavailableError("The object was replaced while it was looked at.") from error
        return _seen(key, entry, error)
    except UnreadableFileError as error:
        return _seen(key, current(source, key), error)
    except StoreDeniedError as error:
        return _seen(key, current(source, key), UnreadableFileError(error.sentence))
    return Seen(key, content.version, content, content.size, content.modified_at)


def current(source: Source, key: str) -> SourceEntry | None:
    """What the bucket tells of an object without reading it; its version may be UNKNOWN_VERSION.

    Raises:
        StoreUnavailableError: the bucket did not answer, or asked to slow down.
    """
    try:
        return source.stat(key)
    except (StoreDeniedError, UnreadableFileError):
        return SourceEntry(key, 0, None, UNKNOWN_VERSION)


def failed_draft(seen: Seen, error: DocumentError, limits: Limits) -> Draft:
    """The draft of an object that is there and cannot become searchable."""
    version = version_of(seen.version or UNKNOWN_VERSION, error.state, limits)
    return problem_draft(seen.key, error, size=seen.size, modified_at=seen.modified_at, version=version)


def _seen(key: str, entry: SourceEntry | None, error: DocumentError) -> Seen:
    if entry is None:
        return Seen(key, None, None)
    return Seen(key, entry.version, error, entry.size, entry.modified_at)
