"""A shelf in memory: it implements the protocol over a few documents, with word overlap as its search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from docshelf.errors import NotFoundError
from docshelf.mcp_server.shelf import (
    Collection,
    DocumentPage,
    DocumentRecord,
    DocumentText,
    LineKind,
    Overview,
    Passage,
    Progress,
    SearchAnswer,
    Segment,
)
from docshelf.states import State

MOMENT = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as its pages; one page and `paged` false is a text file."""

    source: str
    title: str
    pages: tuple[str, ...]
    paged: bool = False
    state: State = State.INDEXED
    reason: str | None = None


@dataclass(slots=True)
class MemoryShelf:
    """`fault`, where given, is called at the start of every method and may raise."""

    documents: list[StoredDocument]
    progress: Progress | None = None
    fault: Callable[[str], None] = lambda _method: None
    queries: list[str] = field(default_factory=list)

    def overview(self) -> Overview:
        self.fault("overview")
        names = sorted({_collection(document.source) for document in self.documents})
        states = [document.state for document in self.documents]
        return Overview(
            tuple(self._summary(name) for name in names),
            tuple((state, states.count(state)) for state in State),
            "none",
            str(len(self.documents)),
            self.progress,
        )

    def indexing(self) -> Progress | None:
        self.fault("indexing")
        return self.progress

    def search(self, query: str, *, collection: str | None, path_prefix: str | None, limit: int) -> SearchAnswer:
        self.fault("search")
        self.queries.append(query)
        words = set(query.casefold().split())
        found = []
        for document in self._matching(collection, path_prefix, State.INDEXED):
            for number, page in enumerate(document.pages, start=1):
                score = len(words & set(page.casefold().split()))
                if score:
                    lines = (1, page.rstrip("\n").count("\n") + 1)
                    found.append(
                        Passage(
                            document.source,
                            document.title,
                            page,
                            float(score),
                            page=number if document.paged else None,
                            lines=None if document.paged else lines,
                            headings=("Top", document.title),
                            indexed_at=MOMENT,
                            modified_at=MOMENT,
                        )
                    )
        found.sort(key=lambda passage: -passage.score)
        return SearchAnswer(tuple(found[:limit]), None if found else "Nothing on the shelf matches the query.")

    def get_document(
        self,
        source: str,
        *,
        from_page: int | None,
        to_page: int | None,
        from_line: int | None,
        to_line: int | None,
    ) -> DocumentText:
        self.fault("get_document")
        for document in self.documents:
            if document.source == source:
                wanted = _segments(document, from_page, to_page, from_line, to_line)
                lines = sum(page.count("\n") for page in document.pages)
                return DocumentText(_record(document), wanted, lines)
        raise NotFoundError("There is no document with that source key; list_documents has the keys.")

    def list_documents(
        self, *, collection: str | None, path_prefix: str | None, state: State | None, after: str | None, limit: int
    ) -> DocumentPage:
        self.fault("list_documents")
        matching = self._matching(collection, path_prefix, state)
        following = [document for document in matching if after is None or document.source > after]
        shown = tuple(_record(document) for document in following[:limit])
        return DocumentPage(shown, len(following) > limit, len(matching))

    def _matching(self, collection: str | None, prefix: str | None, state: State | None) -> list[StoredDocument]:
        return sorted(
            (
                document
                for document in self.documents
                if (collection is None or _collection(document.source) == collection)
                and document.source.startswith(prefix or "")
                and (state is None or document.state is state)
            ),
            key=lambda document: document.source,
        )

    def _summary(self, name: str) -> Collection:
        inside = self._matching(name, None, State.INDEXED)
        chunks = sum(len(document.pages) for document in inside)
        return Collection(name, len(inside), chunks, MOMENT, tuple(document.title for document in inside))


def _collection(source: str) -> str:
    return source.split("/")[0] if "/" in source else "general"


def _record(document: StoredDocument) -> DocumentRecord:
    return DocumentRecord(
        document.source,
        document.title,
        document.state,
        document.reason,
        len(document.pages) if document.paged else None,
        len(document.pages) if document.state is State.INDEXED else 0,
        MOMENT,
        MOMENT if document.state is State.INDEXED else None,
    )


def _segments(
    document: StoredDocument,
    from_page: int | None,
    to_page: int | None,
    from_line: int | None,
    to_line: int | None,
) -> Iterator[Segment]:
    """One segment for each line, as an index that stores small chunks would give."""
    if document.state is not State.INDEXED:
        return
    line = 0
    for number, page in enumerate(document.pages, start=1):
        for text in page.splitlines(keepends=True):
            line += 1
            in_pages = (from_page or 1) <= number <= (to_page or number)
            in_lines = (from_line or 1) <= line <= (to_line or line)
            if in_pages and in_lines:
                kind = LineKind.TEXT if document.paged else LineKind.FILE
                yield Segment(text, line, kind, number if document.paged else None)


def company_shelf() -> MemoryShelf:
    """A guide, a report of three pages, and a scan without text."""
    guide = "".join(f"Step {number}: deliver the parcel to bay {number}.\n" for number in range(1, 41))
    pages = (
        "Annual report\nThe year was good.\n",
        "Financing\nThe loan is from Harbour Bank at 4.1 %.\n",
        "Outlook\nMore of it.\n",
    )
    return MemoryShelf(
        [
            StoredDocument("handbook/delivery.md", "Delivery guide", (guide,)),
            StoredDocument("reports/annual.pdf", "Annual report", pages, paged=True),
            StoredDocument(
                "reports/scan.pdf", "scan.pdf", (), paged=True, state=State.EMPTY, reason="It has no text layer."
            ),
            StoredDocument("notes.txt", "Notes", ("Call Harbour Bank on Monday.\n",)),
        ]
    )
