"""The shelf that the tools and commands serve: search, reading and listing over one open index."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from docshelf.errors import InvalidArgumentError, NotFoundError
from docshelf.index.filters import Filters
from docshelf.index.records import DocumentRecord as StoredDocument
from docshelf.index.records import StoredChunk
from docshelf.index.store import Index
from docshelf.mcp_server.display import quoted
from docshelf.mcp_server.shelf import (
    Collection,
    DocumentPage,
    DocumentRecord,
    DocumentText,
    LineKind,
    Overview,
    Progress,
    SearchAnswer,
    Segment,
)
from docshelf.search.passages import passages
from docshelf.search.relevance import message_for, relevant
from docshelf.search.retrieval import QueryEmbedder, rank
from docshelf.states import State

_TITLES_A_COLLECTION = 3


class IndexShelf:
    """`mcp_server.shelf.Shelf` over an index; any number of threads may call it.

    Every method looks at the latest commit. `progress` tells what is being indexed, None when nothing is.
    """

    def __init__(
        self, index: Index, embedder: QueryEmbedder, progress: Callable[[], Progress | None] = lambda: None
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._progress = progress
        self._overview: tuple[str, tuple[Collection, ...], tuple[tuple[State, int], ...]] | None = None

    def overview(self) -> Overview:
        """Collections, counts and titles, read again only after a commit."""
        self._index.refresh()
        version = self._index.version
        cached = self._overview
        if cached is None or cached[0] != version:
            states = tuple(sorted(self._index.state_counts().items()))
            cached = (version, tuple(self._collections()), states)
            self._overview = cached
        return Overview(cached[1], cached[2], self._index.identity.model, version, self._progress())

    def _collections(self) -> Iterator[Collection]:
        for summary in self._index.collections():
            found = self._index.documents(Filters((summary.name,)), State.INDEXED, limit=_TITLES_A_COLLECTION)
            titles = tuple(document.title for document in found if document.title)
            yield Collection(summary.name, summary.indexed, summary.chunks, summary.last_indexed, titles)

    def search(self, query: str, *, collection: str | None, path_prefix: str | None, limit: int) -> SearchAnswer:
        """Passages for `query`, or none with a sentence that says so."""
        self._index.refresh()
        ranking = rank(self._index, self._embedder, query, limit, _filters(collection, path_prefix))
        found = passages(ranking.chunks, limit) if relevant(ranking, self._index.identity.model) else ()
        return SearchAnswer(found, message_for(ranking, found=bool(found)))

    def get_document(
        self,
        source: str,
        *,
        from_page: int | None,
        to_page: int | None,
        from_line: int | None,
        to_line: int | None,
    ) -> DocumentText:
        """The text of a document or of a range of it; the segments joined are that text exactly."""
        self._index.refresh()
        document = self._index.document(source)
        if document is None:
            raise NotFoundError(f"There is no document {quoted(source, 200)}; list_documents shows the keys.")
        if document.pages is None and (from_page or to_page):
            raise InvalidArgumentError(f"{quoted(source, 200)} has no pages: use from_line and to_line.")
        chunks = self._index.chunks_of(source)
        segments = _segments(chunks, (from_page, to_page), (from_line, to_line))
        lines = _end_line(chunks[-1]) if chunks else None
        return DocumentText(_shown(document), segments, lines)

    def list_documents(
        self, *, collection: str | None, path_prefix: str | None, state: State | None, after: str | None, limit: int
    ) -> DocumentPage:
        """Documents in order of their keys, whatever their state."""
        self._index.refresh()
        found = self._index.documents(_filters(collection, path_prefix), state, after, limit + 1)
        return DocumentPage(tuple(map(_shown, found[:limit])), more=len(found) > limit)


def _filters(collection: str | None, path_prefix: str | None) -> Filters:
    return Filters(None if collection is None else (collection,), path_prefix)


def _shown(document: StoredDocument) -> DocumentRecord:
    return DocumentRecord(
        source=document.source,
        title=document.title or document.source,
        state=document.state,
        reason=document.reason,
        pages=document.pages,
        chunks=document.chunks,
        modified_at=document.modified_at,
        indexed_at=document.indexed_at,
    )


def _start_line(chunk: StoredChunk) -> int:
    """The line of the chunk's first character; `first_line` is that of its first visible one."""
    blank = len(chunk.text) - len(chunk.text.lstrip())
    return (chunk.first_line or 1) - chunk.text.count("\n", 0, blank)


def _end_line(chunk: StoredChunk) -> int:
    """The line of the chunk's last character, a blank one at the end of the file included."""
    return _start_line(chunk) + chunk.text.removesuffix("\n").count("\n")


def _segments(
    chunks: list[StoredChunk], pages: tuple[int | None, int | None], lines: tuple[int | None, int | None]
) -> Iterator[Segment]:
    """The chunks within both ranges as text, cut to the lines asked for; a page or a chunk is one segment."""
    for chunk in chunks:
        if not _within(chunk.page, pages):
            continue
        text, line = _cut_to_lines(chunk.text, _start_line(chunk), lines)
        if text:
            kind = LineKind.FILE if chunk.line_kind == "source" else LineKind.TEXT
            yield Segment(text, line, kind, chunk.page, chunk.page_label)


def _within(page: int | None, pages: tuple[int | None, int | None]) -> bool:
    first, last = pages
    return (first is None or (page or 0) >= first) and (last is None or (page or 0) <= last)


def _cut_to_lines(text: str, start: int, lines: tuple[int | None, int | None]) -> tuple[str, int]:
    """The part of `text` (whose first character is on line `start`) within `lines`, and the line it starts on."""
    first, last = lines
    if first is None and last is None:
        return text, start
    parts = [f"{part}\n" for part in text.split("\n")]
    parts[-1] = parts[-1][:-1]
    skipped = max(0, (first or start) - start)
    kept = parts[skipped : None if last is None else max(0, last - start + 1)]
    return "".join(kept), start + skipped
