"""Which keys of a folder may have changed, as it happens."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from docshelf.errors import SourceError
from docshelf.sources.folder import FolderSource
from docshelf.sources.naming import is_ignored, key_of
from docshelf.sources.polling import Changes, look_through
from docshelf.sources.tree import Walk

logger = logging.getLogger(__name__)

_DEBOUNCE_MS = 200
_QUIET_MS = 50
_WAKE_MS = 1_000
_DRAIN_MS = 100
_LOOK_AGAIN_SECONDS = 1.0


class _CannotWatchError(Exception):
    """The system has no watches left, or a name in the folder is not text, which the watcher cannot report."""


def watch_folder(source: FolderSource, stop_event: Event, ready: Callable[[], None] | None = None) -> Iterator[Changes]:
    """Yield what may have changed, about a quarter of a second after it did, until `stop_event` is set.

    `ready` is called once, when the watch is armed (inside the first `next()`): list the source after that, and no
    change is lost between the listing and the watch. Where the system has no watches left, or a name in the folder is
    not text, the folder is looked through about every second instead, and a warning is logged. When the folder itself
    goes away, and when it is back, the empty prefix is yielded.

    Raises:
        SourceError: the folder cannot be read at the start.
    """
    try:
        watch = _armed(source)
    except _CannotWatchError as error:
        _warn(error)
        if ready:
            ready()
        yield from look_through(source, stop_event)
        return
    if ready:
        ready()
    try:
        yield from _watching(source, stop_event, watch)
    except _CannotWatchError as error:
        _warn(error)
        yield from look_through(source, stop_event)


def _watching(source: FolderSource, stop_event: Event, watch: _Watch) -> Iterator[Changes]:
    while not stop_event.is_set():
        changes = Changes()
        watch.take(stop_event, _WAKE_MS, changes)
        if watch.outdated:
            gone = not source.root.is_dir()
            if gone:
                changes = Changes(prefixes={""})
                yield changes
            following = _armed_when_back(source, stop_event)
            if following is None:
                return
            # Emptied after the new watch is armed, so that nothing falls between the two.
            watch.take(stop_event, _DRAIN_MS, changes)
            changes.prefixes |= following.directories - watch.directories
            watch.close()
            watch = following
        if changes:
            yield changes
    watch.close()


class _Watch:
    """Watches each directory by itself: a recursive watch would follow links out of the folder."""

    def __init__(self, source: FolderSource, walk: Walk) -> None:
        self.directories = frozenset(walk.directories)
        self.outdated = False
        self._tree = source.tree
        self._links = walk.links
        # No debugging, no polling (and no pause of it), no subdirectories, and no complaint about what may not be read.
        self._notify = RustNotify(list(walk.directories.values()), False, False, 0, False, True)

    def close(self) -> None:
        """Free the watches."""
        self._notify.close()

    def take(self, stop_event: Event, timeout_ms: int, changes: Changes) -> None:
        """Add to `changes` what was seen since the last call, waiting at most `timeout_ms` for the first of it."""
        try:
            found = self._notify.watch(_DEBOUNCE_MS, _QUIET_MS, timeout_ms, stop_event)
        except WatchfilesRustInternalError as error:
            raise _CannotWatchError(error) from error
        if found == "signal":
            raise KeyboardInterrupt
        if not isinstance(found, str):
            for _, path in found:
                self._add(path, changes)

    def _add(self, path: str, changes: Changes) -> None:
        if path == str(self._tree.root):
            self.outdated = True
            return
        key = key_of(os.path.relpath(path, self._tree.root))
        if is_ignored(key) or any(Path(path).is_relative_to(place) for place in self._tree.excluded):
            return
        names = [key, *self._names_through_links(key)]
        changes.keys.update(names)
        if f"{key}/" in self.directories or os.path.isdir(path):  # noqa: PTH112  as everything here
            self.outdated = True
            changes.prefixes.update(f"{name}/" for name in names)
        elif os.path.islink(path) or any(link == key for _, link in self._links):  # noqa: PTH114
            self.outdated = True
            changes.prefixes.add(f"{key}/")

    def _names_through_links(self, key: str) -> Iterator[str]:
        for target, link in self._links:
            if key.startswith(f"{target}/"):
                yield link + key[len(target) :]
            elif f"{target}/".startswith(f"{key}/"):
                yield link


def _armed(source: FolderSource) -> _Watch:
    """A watch of every directory that exists.

    Raises:
        SourceError: the folder cannot be read.
        _CannotWatchError: the folder must be looked through instead.
    """
    before = _walk(source)
    while True:
        try:
            watch = _Watch(source, before)
        except FileNotFoundError:  # a directory went away since the walk
            before = _walk(source)
            continue
        except (OSError, UnicodeEncodeError, WatchfilesRustInternalError) as error:
            raise _CannotWatchError(error) from error
        after = _walk(source)
        # A directory made during the walk is watched by nobody, unless its parent was watched before it was made.
        if after.directories == before.directories:
            return watch
        watch.close()
        before = after


def _walk(source: FolderSource) -> Walk:
    walk = Walk()
    try:
        for _ in source.tree.files(walk):
            pass
    except OSError as error:
        raise SourceError(f"The folder {source.root} cannot be read: {error.strerror}.") from error
    return walk


def _armed_when_back(source: FolderSource, stop_event: Event) -> _Watch | None:
    while not stop_event.is_set():
        try:
            return _armed(source)
        except SourceError:
            stop_event.wait(_LOOK_AGAIN_SECONDS)
    return None


def _warn(error: _CannotWatchError) -> None:
    logger.warning("The folder cannot be watched (%s); it is looked through every second instead.", error)
