"""The index that requests are answered from, and the model that it was made with."""

from __future__ import annotations

from contextvars import ContextVar

import numpy as np
from numpy.typing import NDArray

from docshelf.cloud.places import reindex_command, remedy
from docshelf.embedding.embedder import Embedder
from docshelf.embedding.tokenizer import TextTokenizer
from docshelf.index.live import LiveIndex
from docshelf.index.store import Index
from docshelf.serving.models import QueryModels

# A worker thread runs in a context of its own, so a request that was given up cannot mix with the next.
_opened: ContextVar[Embedder] = ContextVar("docshelf_model_of_the_opened_index")


class IndexInUse:
    """Opens the index, and stands for the model of the index that the same thread opened last.

    Between two requests the index in use may become one that was made with another model.
    """

    def __init__(self, address: str, model: str) -> None:
        """Load the model; the index is first opened by a request.

        Raises:
            ModelUnavailableError, InvalidArgumentError: the model cannot be had.
        """
        self._live = LiveIndex(address, remedy=remedy(address))
        self._models = QueryModels(model, reindex_command(address))

    def open(self) -> Index:
        """The index with all commits made so far.

        Raises:
            DocshelfError: there is none, it cannot be read, or its model cannot be had.
        """
        index = self._live.current()
        _opened.set(self._models.of(index.identity))
        return index

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
