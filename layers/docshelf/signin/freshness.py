"""When the index was last written, for people who open the server's address."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime

from docshelf.errors import DocshelfError
from docshelf.observability import logger

LOOK_SECONDS = 60.0
# LanceDB writes one for every commit, and names it so that the newest is listed first.
_COMMITS = "documents.lance/_versions/"


class Freshness:
    """The moment of the last commit to an index; looked at once a minute at most, whoever opens the page how often."""

    def __init__(
        self,
        index: str | None,
        *,
        look: Callable[[str], datetime | None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`index` is an address like s3://BUCKET/PREFIX; without one nothing is known. `clock` counts seconds."""
        self._index = index
        self._look = look or last_commit
        self._clock = clock
        self._looked: float | None = None
        self._found: datetime | None = None

    def __call__(self) -> datetime | None:
        """The moment (aware); None where it is not known, which is no fault of who asks."""
        if self._index is not None and (self._looked is None or self._clock() >= self._looked + LOOK_SECONDS):
            self._looked = self._clock()
            try:
                self._found = self._look(self._index)
            except DocshelfError as error:
                logger.warning("The landing page cannot say how fresh the index is.", reason=error.sentence)
        return self._found


def last_commit(index: str) -> datetime | None:
    """When the documents of the index at this address were last written; None if there are none.

    Raises:
        DocshelfError: the index is missing, cannot be read, or its bucket refuses or does not answer.
    """
    # Only now: nothing else that people or programs ask for first needs AWS's library.
    from docshelf.aws.objects import ObjectStore
    from docshelf.cloud.places import remedy
    from docshelf.index.pointer import read_pointer

    generation = read_pointer(index, remedy(index)).generation
    newest = next(ObjectStore.from_uri(index).list(f"{generation}/{_COMMITS}"), None)
    return None if newest is None else newest.modified_at
