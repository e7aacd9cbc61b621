"""Finding changes by looking through the folder again and again, for where the system cannot watch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Event
from time import monotonic

from docshelf.sources.folder import FolderSource
from docshelf.sources.tree import Walk

_PAUSE_SECONDS = 1.0
_PAUSE_TIMES = 20
"""Pauses last this many times as long as looking takes, where that is long."""


@dataclass(slots=True)
class Changes:
    """`keys` may have changed, appeared or gone; so may everything that starts with one of `prefixes`.

    A prefix is a folder ending with `/`, or empty for the whole source: compare it with `source.list(prefix)`.
    """

    keys: set[str] = field(default_factory=set)
    prefixes: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        """Whether anything is named."""
        return bool(self.keys or self.prefixes)


def look_through(source: FolderSource, stop_event: Event) -> Iterator[Changes]:
    """Like `watch_folder`, about a second late; the first that it yields is the empty prefix, after a first look."""
    seen: dict[str, tuple[int, int]] | None = None
    pause = _PAUSE_SECONDS
    while not stop_event.wait(pause):
        start = monotonic()
        found = _look(source)
        pause = max(_PAUSE_SECONDS, (monotonic() - start) * _PAUSE_TIMES)
        changes = Changes()
        if found is not None and seen is not None:
            changes.keys.update(key for key, _ in found.items() ^ seen.items())
        elif found is not seen:
            changes.prefixes.add("")
        seen = found
        if changes:
            yield changes


def _look(source: FolderSource) -> dict[str, tuple[int, int]] | None:
    """Size and time of every document; None while the folder cannot be read."""
    try:
        return {key: (status.st_size, status.st_mtime_ns) for key, status in source.tree.files(Walk())}
    except OSError:
        return None
