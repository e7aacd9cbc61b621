"""A shelf for each request over one index, and what they may share: what is stored, by version of the index."""

from __future__ import annotations

from collections.abc import Callable

from docshelf.index.records import CollectionContents
from docshelf.index.store import Index
from docshelf.mcp_server.shelf import Progress
from docshelf.search.retrieval import QueryEmbedder
from docshelf.search.shelf import IndexShelf

TITLES_A_COLLECTION = 3


class Shelves:
    """One a process; any number of threads may ask it for shelves."""

    def __init__(
        self,
        open_index: Callable[[], Index],
        embedder: QueryEmbedder,
        progress: Callable[[], Progress | None] = lambda: None,
    ) -> None:
        """`open_index` gives the index with all commits made so far; a request calls it once, or not at all.

        `progress` tells what is being indexed, None when nothing is.
        """
        self._open_index = open_index
        self._embedder = embedder
        self._progress = progress
        self._cached: tuple[str, tuple[CollectionContents, ...]] | None = None

    def for_caller(self, collections: frozenset[str] | None = None) -> IndexShelf:
        """The shelf of one request by a caller who may see these collections; None stands for all.

        Neither blocks nor looks at the index. Progress counts the documents of all collections, so only who may see
        all of them is told.
        """
        progress = self._progress if collections is None else lambda: None
        return IndexShelf(self._open_index, self._embedder, self._contents, collections, progress)

    def _contents(self, index: Index) -> tuple[CollectionContents, ...]:
        """Everything that is stored, read again only after a commit; what a caller may see of it, the shelf decides."""
        version = index.version
        cached = self._cached
        if cached is None or cached[0] != version:
            cached = (version, tuple(index.contents(TITLES_A_COLLECTION)))
            self._cached = cached
        return cached[1]
