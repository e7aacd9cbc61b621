"""The shelves of a server that answers before its index is open."""

from __future__ import annotations

import threading
from collections.abc import Callable

from docshelf.errors import IndexUnavailableError
from docshelf.mcp_server.shelf import DocumentPage, DocumentText, Overview, Progress, SearchAnswer, Shelf
from docshelf.states import State

_WAIT_SECONDS = 10.0
_LOADING = Progress(0, 0, "the model and the index are being loaded")
_STARTING = "docshelf is starting (the model and the index are being loaded): ask again in a few seconds."


class StartingShelves:
    """Gives the shelf of each request: until `ready`, one that waits a moment and then says that it is not there."""

    def __init__(self) -> None:
        self._open_shelf: Callable[[], Shelf] | None = None
        self._ready = threading.Event()

    def ready(self, open_shelf: Callable[[], Shelf]) -> None:
        """From now on every request gets its shelf from `open_shelf`."""
        self._open_shelf = open_shelf
        self._ready.set()

    def abandon(self) -> None:
        """There will be no shelf: calls that wait end at once."""
        self._ready.set()

    def open(self) -> Shelf:
        """The shelf of one request."""
        return self._open_shelf() if self._open_shelf else _WaitingShelf(self)

    def wait(self) -> Shelf:
        """The shelf of one request, as soon as there is one.

        Raises:
            IndexUnavailableError: it took too long, or there will be none.
        """
        self._ready.wait(_WAIT_SECONDS)
        if self._open_shelf is None:
            raise IndexUnavailableError(_STARTING)
        return self._open_shelf()


class _WaitingShelf:
    """The shelf of one request that came before the index was open."""

    def __init__(self, shelves: StartingShelves) -> None:
        self._shelves = shelves

    def overview(self) -> Overview:
        """Nothing, under way: a client that connects at once is not kept waiting."""
        return Overview((), (), "", "starting", self.indexing())

    def indexing(self) -> Progress | None:
        """That everything is still being loaded."""
        return _LOADING

    def search(self, query: str, *, collection: str | None, path_prefix: str | None, limit: int) -> SearchAnswer:
        """As the shelf's."""
        return self._shelves.wait().search(query, collection=collection, path_prefix=path_prefix, limit=limit)

    def get_document(
        self,
        source: str,
        *,
        from_page: int | None,
        to_page: int | None,
        from_line: int | None,
        to_line: int | None,
    ) -> DocumentText:
        """As the shelf's."""
        return self._shelves.wait().get_document(
            source, from_page=from_page, to_page=to_page, from_line=from_line, to_line=to_line
        )

    def list_documents(
        self, *, collection: str | None, path_prefix: str | None, state: State | None, after: str | None, limit: int
    ) -> DocumentPage:
        """As the shelf's."""
        return self._shelves.wait().list_documents(
            collection=collection, path_prefix=path_prefix, state=state, after=after, limit=limit
        )
