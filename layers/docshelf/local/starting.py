"""The shelf of a server that answers before its index is open."""

from __future__ import annotations

import threading

from docshelf.errors import IndexUnavailableError
from docshelf.mcp_server.shelf import DocumentPage, DocumentText, Overview, Progress, SearchAnswer, Shelf
from docshelf.states import State

_WAIT_SECONDS = 10.0
_STARTING = "docshelf is starting (the model and the index are being loaded): ask again in a few seconds."


class StartingShelf:
    """Stands in for the real shelf until `ready`. A call waits a moment for it and then says that it is not there."""

    def __init__(self) -> None:
        self._shelf: Shelf | None = None
        self._ready = threading.Event()

    def ready(self, shelf: Shelf) -> None:
        """From now on every call goes to `shelf`."""
        self._shelf = shelf
        self._ready.set()

    def abandon(self) -> None:
        """There will be no shelf: calls that wait end at once."""
        self._ready.set()

    def overview(self) -> Overview:
        """Nothing, under way: a client that connects at once is not kept waiting."""
        if self._shelf is None:
            return Overview((), (), "", "starting", Progress(0, 0, "the model and the index are being loaded"))
        return self._shelf.overview()

    def search(self, query: str, *, collection: str | None, path_prefix: str | None, limit: int) -> SearchAnswer:
        """As the shelf's."""
        return self._there().search(query, collection=collection, path_prefix=path_prefix, limit=limit)

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
        shelf = self._there()
        return shelf.get_document(source, from_page=from_page, to_page=to_page, from_line=from_line, to_line=to_line)

    def list_documents(
        self, *, collection: str | None, path_prefix: str | None, state: State | None, after: str | None, limit: int
    ) -> DocumentPage:
        """As the shelf's."""
        return self._there().list_documents(
            collection=collection, path_prefix=path_prefix, state=state, after=after, limit=limit
        )

    def _there(self) -> Shelf:
        self._ready.wait(_WAIT_SECONDS)
        if self._shelf is None:
            raise IndexUnavailableError(_STARTING)
        return self._shelf
