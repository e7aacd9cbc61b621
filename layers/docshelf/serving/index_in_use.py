"""The index that requests are answered from, and the model that it was made with."""

from __future__ import annotations

import threading
import time
from contextvars import ContextVar

import numpy as np
from numpy.typing import NDArray

from docshelf.cloud.places import reindex_command, remedy
from docshelf.embedding.embedder import Embedder
from docshelf.embedding.tokenizer import TextTokenizer
from docshelf.errors import DocshelfError, IndexUnavailableError
from docshelf.index.live import LiveIndex
from docshelf.index.location import location_of
from docshelf.index.store import Index
from docshelf.memory import give_back_freed_memory
from docshelf.observability import logger
from docshelf.serving.models import QueryModels

# A worker thread runs in a context of its own, so a request that was given up cannot mix with the next.
_opened: ContextVar[Embedder] = ContextVar("docshelf_model_of_the_opened_index")

MOST_WAITING = 8
"""Requests that were given up go on waiting for the index; while so many do, another one waits for its turn."""
# An instance only runs while it has a request: this is also the time in which the earlier ones may end.
_TURN_SECONDS = 5.0
# Lambda gives an instance ten seconds to start, imports and model included.
_AHEAD_SECONDS = 5.0
# A snapshot is taken when the function is deployed: nobody waits for an answer, and two minutes are given.
_SNAPSHOT_SECONDS = 60.0


class IndexInUse:
    """Opens the index, and stands for the model of the index that the same thread opened last.

    Between two requests the index in use may become one that was made with another model.
    """

    def __init__(self, address: str, model: str, *, turn_seconds: float = _TURN_SECONDS) -> None:
        """Load the model; the index is first opened by a request, which waits `turn_seconds` for its turn at most.

        Raises:
            ModelUnavailableError, InvalidArgumentError: the model cannot be had, or the address is none.
        """
        location_of(address)  # loads what a bucket is read with: here, and not in the first request
        self._live = LiveIndex(address, remedy=remedy(address))
        self._models = QueryModels(model, reindex_command(address))
        self._turns = threading.BoundedSemaphore(MOST_WAITING)
        self._turn_seconds = turn_seconds
        self._opening: threading.Thread | None = None

    def open(self) -> Index:
        """The index with all commits made so far.

        Raises:
            DocshelfError: there is none, it cannot be read, or its model cannot be had.
            IndexUnavailableError: too many earlier requests still wait for it.
        """
        if not self._turns.acquire(timeout=self._turn_seconds):
            raise IndexUnavailableError("The index does not answer just now; try again in a minute.")
        try:
            index = self._live.current()
            if index.warm():
                give_back_freed_memory()
            _opened.set(self._models.of(index.identity))
        finally:
            self._turns.release()
        return index

    def open_ahead(self, seconds: float = _AHEAD_SECONDS) -> None:
        """Open the index before the first request, as far as `seconds` go; what fails or takes longer, requests meet.

        The start of an instance is the cheapest moment: it has the whole processor, and a snapshot of it is kept.
        """
        started = time.monotonic()

        def opened() -> None:
            try:
                index = self.open()
            except DocshelfError as error:
                logger.warning("The index could not be opened ahead.", code=error.code, reason=error.sentence)
                return
            milliseconds = round((time.monotonic() - started) * 1000)
            logger.info("The index was opened ahead.", index_version=index.version, duration_ms=milliseconds)

        thread = threading.Thread(target=opened, name="docshelf-open-ahead", daemon=True)
        thread.start()
        self._opening = thread
        thread.join(seconds)

    def wait_until_opened(self, seconds: float = _SNAPSHOT_SECONDS) -> None:
        """Wait for what `open_ahead` began, as far as `seconds` go."""
        if self._opening is not None:
            self._opening.join(seconds)

    def look_again(self) -> None:
        """Ask which index is in use at the next opening, however lately that was asked."""
        self._live.look_again()

    @property
    def tokenizer(self) -> TextTokenizer:
        """The tokenizer for the index that was opened."""
        return _opened.get().tokenizer

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of a query for the index that was opened."""
        return _opened.get().embed_query(text)

    def close(self) -> None:
        """End the models' threads."""
        self._models.close()
