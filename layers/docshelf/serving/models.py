"""The models that queries are embedded with: the one of the settings, and those that an index asks for besides."""

from __future__ import annotations

import threading
from dataclasses import replace

from docshelf.embedding.embedder import Embedder
from docshelf.embedding.model_files import resolve_model
from docshelf.index.identity import IndexIdentity


class QueryModels:
    """Loaded models, each kept. Any number of threads may ask; one of them loads, the others wait for it."""

    def __init__(self, model: str, rebuild: str) -> None:
        """`model` is loaded at once: `auto`, a profile's name, or a directory. `rebuild` is the command that does.

        Raises:
            ModelUnavailableError, InvalidArgumentError: it cannot be had.
        """
        self._rebuild = rebuild
        self._lock = threading.Lock()
        self._loaded = [Embedder(resolve_model(model), threads=1)]

    def of(self, identity: IndexIdentity) -> Embedder:
        """The model that an index was made with. One that cannot be had is tried again at the next call.

        Raises:
            IndexMismatchError: the model of that name is another one here; the sentence has the command that rebuilds.
            ModelUnavailableError, InvalidArgumentError: it cannot be had.
        """
        with self._lock:
            known = [embedder for embedder in self._loaded if embedder.identity.name == identity.model]
            if not known:
                known = [Embedder(resolve_model(identity.model), threads=1)]
                self._loaded += known
        identity.check(_expected(known[0], identity), self._rebuild)
        return known[0]

    def close(self) -> None:
        """End the models' threads."""
        for embedder in self._loaded:
            embedder.close()


def _expected(embedder: Embedder, identity: IndexIdentity) -> IndexIdentity:
    """The identity of an index made with this model; how documents were parsed and cut is all the same to a query."""
    model = embedder.identity
    return replace(
        identity,
        model=model.name,
        model_sha256=model.sha256,
        tokenizer_sha256=model.tokenizer_sha256,
        dimension=model.dimension,
        pooling=model.pooling,
        query_prefix=model.query_prefix,
        max_tokens=model.max_tokens,
    )
