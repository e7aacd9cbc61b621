"""Vectors for drafts, within the time that is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from docshelf.drafts import Draft, Vector, missing_texts
from docshelf.ingest.targets import Target

SLICE_PER_THREAD = 8
"""Passages given to each thread between two looks at the clock: less than a second of work."""


def vectors_for(target: Target, drafts: Sequence[Draft], has_time: Callable[[], bool]) -> dict[str, Vector]:
    """Vectors by hash: those of unchanged chunks from the index, the others from the model until time is up.

    Raises:
        IndexUnavailableError, IndexCorruptError: the index cannot be read.
    """
    if not any(draft.chunk_count for draft in drafts):
        return {}
    keys = [draft.record.key for draft in drafts]
    vectors: dict[str, Vector] = {}
    for index in target.indexes:
        vectors |= index.vectors_of(keys)
    missing = list(missing_texts(drafts, vectors).items())
    size = SLICE_PER_THREAD * target.embedder.threads
    for start in range(0, len(missing), size):
        if not has_time():
            break
        part = missing[start : start + size]
        made = target.embedder.embed_passages([text for _, text in part])
        vectors.update({digest: vector for (digest, _), vector in zip(part, made, strict=True)})
    return vectors
