"""What is stored for a document and its chunks, and what a search hands back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from docshelf.quality.record import Quality
from docshelf.states import State

LineKind = Literal["source", "text"]
"""Whether lines are those of the file itself or of the text extracted from it."""

_ORDINAL_DIGITS = 8


def chunk_id(source: str, ordinal: int) -> str:
    """The id of a chunk: distinct for distinct (source, ordinal), ascending with the ordinal within a source.

    The ordinal has a fixed width because a source may itself hold `#` and digits.
    """
    if not 0 <= ordinal < 10**_ORDINAL_DIGITS:
        raise ValueError(f"an ordinal is a number from 0 to {10**_ORDINAL_DIGITS - 1}, not {ordinal}")
    return f"{source}#{ordinal:0{_ORDINAL_DIGITS}}"


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """One document, in exactly one state: a file of the source, or a member of one that holds others.

    `key` is that of the file or object, equal to `source` but for a member, whose source is that of what holds it,
    `!/` and its name there. On the row of a file `members` counts the rows that it has besides. `version` is what the
    source calls this content (its hash, or the object's version). `reason` is the sentence for every state but
    `indexed`; `retryable` says that another look may end otherwise, and `failures` how often in a row a look at this
    version has failed. Times are aware, in UTC. `quality` is what was measured of a searchable text.
    """

    source: str
    key: str
    collection: str
    state: State
    reason: str | None
    retryable: bool
    version: str
    content_sha256: str
    title: str | None
    media_type: str | None
    pages: int | None
    chunks: int
    characters: int
    bytes: int
    line_kind: LineKind | None
    first_line: int
    modified_at: datetime | None
    indexed_at: datetime
    warnings: tuple[str, ...] = ()
    failures: int = 0
    quality: Quality | None = None
    members: int = 0


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as search and reading hand it back.

    `text` is the exact tile of the document's text; `opening` and `closing` (fence lines, table header) make it
    stand alone. `page` counts from 1; `first_line` and `last_line` count from 1, both included.
    """

    source: str
    collection: str
    ordinal: int
    title: str | None
    headings: tuple[str, ...]
    page: int | None
    page_label: str | None
    first_line: int | None
    last_line: int | None
    line_kind: LineKind | None
    text: str
    opening: str
    closing: str
    version: str
    modified_at: datetime | None
    indexed_at: datetime

    @property
    def chunk_id(self) -> str:
        """The id under which the chunk is stored."""
        return chunk_id(self.source, self.ordinal)


@dataclass(frozen=True, slots=True, eq=False)
class ChunkRecord(StoredChunk):
    """A chunk to be stored: also its document's key, what full text indexes, the vector and the hash of its text."""

    key: str
    search_text: str
    embedded_sha256: str
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document's row and all of its chunks, ordinals 0, 1, 2 …; no chunks unless the state is `indexed`.

    That of a key has its members with it, those of members too; these have none of their own.
    """

    record: DocumentRecord
    chunks: tuple[ChunkRecord, ...] = ()
    members: tuple[PreparedDocument, ...] = ()

    @property
    def chunk_count(self) -> int:
        """Chunks of the document and its members together."""
        return len(self.chunks) + sum(len(member.chunks) for member in self.members)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit: the id of its row and its score (cosine similarity or BM25, higher is better).

    The id holds within the version of the index that was searched.
    """

    row: int
    score: float


@dataclass(frozen=True, slots=True)
class SourceVersion:
    """What the index holds of a key. Without a row of the key itself, `version` and what the row would tell are None.

    `members` counts the rows besides, `chunks` the chunk rows there are, of any version; `consistent` says that they
    are exactly those that the rows tell of. `retryable` is set where another look at the key or one of its members
    may end otherwise; `member_versions` are the states and versions that the members have.
    """

    key: str
    version: str | None
    state: State | None
    retryable: bool
    modified_at: datetime | None
    indexed_at: datetime | None
    chunks: int
    consistent: bool
    failures: int = 0
    content_sha256: str = ""
    members: int = 0
    member_versions: frozenset[tuple[State, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Measurements:
    """Sizes of a generation. Fragments, rows outside an index and versions are what maintenance brings down.

    `small_fragments` and `unindexed_rows` (outside the full-text index) are those of chunks; `fragments` and
    `versions` those of both tables; `bytes` is everything stored, older versions included.
    """

    documents: int
    chunks: int
    fragments: int
    small_fragments: int
    unindexed_rows: int
    versions: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ReplaceResult:
    """What a replacement did: its commits, and whether another writer was met, which must not happen."""

    commits: int
    met_another_writer: bool


@dataclass(frozen=True, slots=True)
class CollectionSummary:
    """`documents` counts files in any state, `indexed` those that are searchable."""

    name: str
    documents: int
    indexed: int
    chunks: int
    last_indexed: datetime


@dataclass(frozen=True, slots=True)
class CollectionContents:
    """A collection: its documents by state (by name, none of them zero), all its chunks, a few titles, languages.

    `titles` are those of its first searchable documents, in order of source; `languages` counts those of each language.
    """

    name: str
    states: tuple[tuple[State, int], ...]
    chunks: int
    last_indexed: datetime
    titles: tuple[str, ...]
    languages: tuple[tuple[str, int], ...] = ()
