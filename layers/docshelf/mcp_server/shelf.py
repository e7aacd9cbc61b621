"""What the tools need from an index, as a protocol, and the values that it returns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from docshelf.states import State


class LineKind(StrEnum):
    """What a line number counts: lines of the file itself, or lines of the text extracted from it."""

    FILE = "line"
    TEXT = "text line"


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection of the shelf: `documents` and `chunks` count what is searchable, `titles` are a few examples.

    `languages` are ISO 639 codes of the languages of its documents, the commonest first.
    """

    name: str
    documents: int
    chunks: int
    last_indexed: datetime | None = None
    titles: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """Indexing is under way: `done` of `total` documents; `note` is one short sentence more, or empty."""

    done: int
    total: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """The shelf as a whole, as the caller may see it; `progress` is None when nothing is being indexed."""

    collections: tuple[Collection, ...]
    states: tuple[tuple[State, int], ...]
    model: str
    index_version: str
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document that answers a query.

    `lines` (first, last) are lines of the file, `text_lines` lines of the extracted text where the format has no
    lines of its own (PDF, HTML, Office …); at most one of the two is set. `text` is shown exactly as it is.
    `also_in` are the other sources that the search found to say the same, each once, the best first; there are no more
    than it has candidates.
    """

    source: str
    title: str
    text: str
    score: float
    page: int | None = None
    page_label: str | None = None
    lines: tuple[int, int] | None = None
    text_lines: tuple[int, int] | None = None
    headings: tuple[str, ...] = ()
    indexed_at: datetime | None = None
    modified_at: datetime | None = None
    also_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Passages, best first, and a sentence about the answer as a whole (nothing relevant, a weak match) or None."""

    passages: tuple[Passage, ...]
    message: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """One file of the source: `pages` is None where the format has none, `reason` says why it is not indexed.

    `problems` names in a word or two each what may be wrong with the text of one that is indexed. `members` counts the
    documents within an archive or mail, whose sources are its own, `!/` and their names.
    """

    source: str
    title: str
    state: State
    reason: str | None = None
    pages: int | None = None
    chunks: int = 0
    modified_at: datetime | None = None
    indexed_at: datetime | None = None
    problems: tuple[str, ...] = ()
    members: int = 0


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive text of a document, on one page where there are pages; `first_line` is where `text` starts."""

    text: str
    first_line: int
    line_kind: LineKind
    page: int | None = None
    page_label: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document and the text of the range asked for: joined in order, the segments are that text exactly.

    `lines` is the number of lines of the whole document, None when unknown. `segments` may be lazy: they are read
    only as far as the answer has room, on the worker thread that called `get_document`.
    """

    record: DocumentRecord
    segments: Iterable[Segment]
    lines: int | None = None


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Documents in the order of their source keys, and whether more follow after the last of them."""

    documents: tuple[DocumentRecord, ...]
    more: bool = False
    total: int | None = None


class Shelf(Protocol):
    """The index as one caller may see it, opened for one request: making one neither blocks nor raises.

    Methods block; they are called on one worker thread. Every method raises a subclass of
    `docshelf.errors.DocshelfError`, whose sentence is shown to the client. What the caller may not see is answered
    exactly as what does not exist.
    """

    def overview(self) -> Overview:
        """The collections and counts; every text about the shelf needs them, so cache them by index version."""
        ...

    def indexing(self) -> Progress | None:
        """What is being indexed just now, None when nothing is; costs next to nothing."""
        ...

    def search(self, query: str, *, collection: str | None, path_prefix: str | None, limit: int) -> SearchAnswer:
        """At most `limit` passages for `query`, a text of 1 to 2,000 characters without control characters."""
        ...

    def get_document(
        self,
        source: str,
        *,
        from_page: int | None,
        to_page: int | None,
        from_line: int | None,
        to_line: int | None,
    ) -> DocumentText:
        """The document with exactly this source key; bounds count from 1, are inclusive and pages or lines, not both.

        A range beyond the end gives no segments.

        Raises:
            NotFoundError: there is no such document for this caller.
        """
        ...

    def list_documents(
        self, *, collection: str | None, path_prefix: str | None, state: State | None, after: str | None, limit: int
    ) -> DocumentPage:
        """At most `limit` documents whose source key sorts after `after`."""
        ...
