"""The models that the indexes at hand were made with, each loaded once."""

from __future__ import annotations

from docshelf.embedding.embedder import Embedder
from docshelf.embedding.model_files import resolve_model
from docshelf.errors import InvalidArgumentError, ModelUnavailableError
from docshelf.index.identity import IndexIdentity
from docshelf.models import identity_of


class Embedders:
    """Loaded models by the identity that an index made with them has; those that cannot be had are remembered too."""

    def __init__(self, model: str) -> None:
        """`model` is the one that a new index is made with: `auto`, a profile's name, or a directory.

        Raises:
            ModelUnavailableError, InvalidArgumentError: it cannot be had.
        """
        self.default = Embedder(resolve_model(model))
        self._others: dict[str, Embedder | None] = {}

    def of(self, identity: IndexIdentity) -> Embedder | None:
        """The model of an index with this identity, or None where this function cannot write such an index."""
        for embedder in (self.default, *filter(None, self._others.values())):
            if identity_of(embedder) == identity:
                return embedder
        if identity.model in self._others or identity.model == self.default.identity.name:
            return None
        self._others[identity.model] = _loaded(identity.model)
        found = self._others[identity.model]
        return found if found and identity_of(found) == identity else None

    def close(self) -> None:
        """End the threads of every model."""
        for embedder in (self.default, *filter(None, self._others.values())):
            embedder.close()


def _loaded(model: str) -> Embedder | None:
    try:
        return Embedder(resolve_model(model))
    except (ModelUnavailableError, InvalidArgumentError):
        return None
