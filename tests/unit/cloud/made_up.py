"""Documents as the pipeline would have stored them, without a model."""

from __future__ import annotations

from dataclasses import replace

from docshelf.content_versions import version_of
from docshelf.index.records import PreparedDocument
from docshelf.index.store import Index
from docshelf.settings import Limits
from docshelf.sources.bucket import BucketSource
from docshelf.states import State
from tests.unit.index.made_up import make

LIMITS = Limits()


def stored(
    source: BucketSource, key: str, state: State = State.INDEXED, limits: Limits = LIMITS, *, retryable: bool = False
) -> PreparedDocument:
    """What the index holds of the object `key` once it agrees with it."""
    entry = source.stat(key)
    assert entry is not None
    texts = [f"Text of {key}."] if state is State.INDEXED else []
    reason = None if state is State.INDEXED else f"Because of {key}."
    made = make(key, texts, state=state, version=version_of(entry.version or "", state, limits), reason=reason)
    return replace(made, record=replace(made.record, modified_at=entry.modified_at, retryable=retryable))


def follow(source: BucketSource, *indexes: Index) -> None:
    """Make the indexes equal to the bucket."""
    documents = [stored(source, entry.key) for entry in source.list()]
    for index in indexes:
        kept = {document.record.source for document in documents}
        index.replace(documents, [each.source for each in index.all_documents() if each.source not in kept])
