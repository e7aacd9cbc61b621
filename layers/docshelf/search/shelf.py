"""The shelf that the tools and commands serve: search, reading and listing of what one caller may see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from docshelf.background import both
from docshelf.errors import InvalidArgumentError, NotFoundError
from docshelf.index.filters import Filters
from docshelf.index.records import CollectionContents, StoredChunk
from docshelf.index.records import DocumentRecord as StoredDocument
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
from docshelf.search.read_once import ReadOnce
from docshelf.search.relevance import message_for, relevant
from docshelf.search.retrieval import QueryEmbedder, rank
from docshelf.sources import MEMBER_MARK, collection_of
from docshelf.states import State


class IndexShelf:
    """`mcp_server.shelf.Shelf` over an index, for one request of one caller; one thread at a time may call it.

    The first method that needs the index looks at its latest commit, and all answers come from there. With
    `collections` the shelf holds those and nothing else: what lies in others is answered as what does not exist.
    """

    def __init__(
        self,
        open_index: Callable[[], Index],
        embedder: QueryEmbedder,
        contents: Callable[[Index], Iterable[CollectionContents]],
        collections: frozenset[str] | None,
        progress: Callable[[], Progress | None],
    ) -> None:
        """`contents` tells what an index holds, whoever asks; None as `collections` stands for all of them."""
        self._open_index = open_index
        self._opened: Index | None = None
        self._embedder = embedder
        self._contents = contents
        self._collections = collections
        self._progress = progress

    @property
    def index_version(self) -> str | None:
        """The version that the request looked at, None where it needed no look at the index."""
        return self._opened.version if self._opened else None

    def overview(self) -> Overview:
        """Collections, counts and titles."""
        index = self._index()
        states: Counter[State] = Counter()
        seen = [each for each in self._contents(index) if self._sees(each.name)]
        for each in seen:
            states.update(dict(each.states))
        return Overview(
            tuple(map(_collection, seen)),
            tuple(sorted(states.items())),
            index.identity.model,
            index.version,
            self.indexing(),
        )

    def indexing(self) -> Progress | None:
        """What is being indexed just now."""
        return self._progress()

    def search(self, query: str, *, collection: str | None, path_prefix: str | None, limit: int) -> SearchAnswer:
        """Passages for `query`, or none with a sentence that says so."""
        index = self._index()
        filters = self._filters(collection, path_prefix)
        return index.steady(lambda: _searched(index, self._embedder, query, limit, filters))

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
        index = self._index()
        # Whether a key is looked up depends on its spelling alone, so not even the time that it takes tells what is
        # stored in another collection.
        document: StoredDocument | None = None
        chunks: list[StoredChunk] = []
        if self._sees(collection_of(source)) or self._sees(collection_of(source.partition(MEMBER_MARK)[0])):
            document, chunks = both(lambda: index.document(source), lambda: index.chunks_of(source))
        if document is None or not self._sees(document.collection):
            raise NotFoundError(f"There is no document {quoted(source, 200)}; list_documents shows the keys.")
        if document.pages is None and (from_page or to_page):
            raise InvalidArgumentError(f"{quoted(source, 200)} has no pages: use from_line and to_line.")
        segments = _segments(chunks, (from_page, to_page), (from_line, to_line))
        lines = _end_line(chunks[-1]) if chunks else None
        return DocumentText(_shown(document), segments, lines)

    def list_documents(
        self, *, collection: str | None, path_prefix: str | None, state: State | None, after: str | None, limit: int
    ) -> DocumentPage:
        """Documents in order of their keys, whatever their state."""
        found = self._index().documents(self._filters(collection, path_prefix), state, after, limit + 1)
        return DocumentPage(tuple(map(_shown, found[:limit])), more=len(found) > limit)

    def _index(self) -> Index:
        if self._opened is None:
            self._opened = self._open_index()
        return self._opened

    def _sees(self, collection: str) -> bool:
        return self._collections is None or collection in self._collections

    def _filters(self, collection: str | None, path_prefix: str | None) -> Filters:
        if collection is not None:
            return Filters((collection,) if self._sees(collection) else (), path_prefix)
        return Filters(None if self._collections is None else tuple(sorted(self._collections)), path_prefix)


def _searched(index: Index, embedder: QueryEmbedder, query: str, limit: int, filters: Filters) -> SearchAnswer:
    reader = ReadOnce(index)
    ranking = rank(reader, embedder, query, limit, filters)
    found = passages(ranking.rows, reader.chunks_at, limit)
    if not relevant(ranking, index.identity.model, found):
        found = ()
    return SearchAnswer(found, message_for(ranking, found=bool(found)))


def _collection(contents: CollectionContents) -> Collection:
    documents = dict(contents.states).get(State.INDEXED, 0)
    least = 0.05 * sum(number for _, number in contents.languages)  # what is rarer may well be a mistake
    languages = tuple(name for name, number in contents.languages if number >= least)
    return Collection(contents.name, documents, contents.chunks, contents.last_indexed, contents.titles, languages)


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
        problems=document.quality.problems if document.quality else (),
        members=document.members,
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
