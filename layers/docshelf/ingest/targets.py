"""The indexes that a prepared document is made for: the one in use, and the one that is being built beside it."""

from __future__ import annotations

from dataclasses import dataclass

from docshelf.embedding.embedder import Embedder
from docshelf.errors import IndexMismatchError, IndexMissingError
from docshelf.index.identity import IndexIdentity
from docshelf.index.live import LiveIndex
from docshelf.index.store import Index
from docshelf.ingest.embedders import Embedders
from docshelf.models import SIZES, identity_of
from docshelf.observability import logger
from docshelf.prepare import Parser, Preparer
from docshelf.settings import Limits


@dataclass(frozen=True, slots=True)
class Target:
    """Indexes of one identity, with what prepares documents for them; none yet in a new environment."""

    identity: IndexIdentity
    indexes: tuple[Index, ...]
    embedder: Embedder
    preparer: Preparer


def targets_of(live: LiveIndex, embedders: Embedders, parser: Parser, limits: Limits) -> tuple[Target, ...]:
    """One target an identity.

    An index whose model this function does not have is left out: it stays as it is until the switch.

    Raises:
        IndexMismatchError: no index at hand can be written with the models of this function.
        IndexUnavailableError, IndexCorruptError: the index cannot be opened.
    """
    try:
        indexes = live.writable()
    except IndexMissingError:
        return (_target(identity_of(embedders.default), (), embedders.default, parser, limits),)
    by_identity: dict[IndexIdentity, list[Index]] = {}
    for index in indexes:
        by_identity.setdefault(index.identity, []).append(index)
    targets = tuple(
        _target(identity, tuple(same), embedder, parser, limits)
        for identity, same in by_identity.items()
        if (embedder := embedders.of(identity))
    )
    for identity in by_identity.keys() - {target.identity for target in targets}:
        logger.warning("A generation is not written: this function does not have its model.", model=identity.model)
    if not targets:
        raise IndexMismatchError(
            f"The index was made with {indexes[0].identity.model} by another version of docshelf, and this function "
            f"has {embedders.default.identity.name}: deploy the version that made it, or run scripts/reindex."
        )
    return targets


def _target(
    identity: IndexIdentity, indexes: tuple[Index, ...], embedder: Embedder, parser: Parser, limits: Limits
) -> Target:
    return Target(
        identity,
        indexes,
        embedder,
        Preparer(parser, embedder.tokenizer, identity.model_sha256, SIZES, limits),
    )
