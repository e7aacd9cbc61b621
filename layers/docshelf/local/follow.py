"""Following a folder: every change that the watcher reports goes to the indexer's second lane."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from docshelf.errors import DocshelfError
from docshelf.local.activity import Activity, Change
from docshelf.local.indexer import Indexer
from docshelf.local.looking import Looked
from docshelf.local.report import shown_key
from docshelf.sources.folder import FolderSource
from docshelf.sources.watch import watch_folder

RETRY_SECONDS = 5.0
NAMES_SHOWN = 5


class Follower:
    """Watches in a thread of its own, so that a change overtakes a scan that is under way."""

    def __init__(
        self,
        source: FolderSource,
        indexer: Indexer,
        activity: Activity,
        stop: threading.Event,
        say: Callable[[str], None],
        say_error: Callable[[str], None],
    ) -> None:
        self._source = source
        self._indexer = indexer
        self._activity = activity
        self._stop = stop
        self._say = say
        self._say_error = say_error
        self._armed = threading.Event()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch within the block; when it is entered, no change from then on is missed."""
        thread = threading.Thread(target=self._run, name="docshelf-watch")
        try:
            thread.start()  # Ctrl-C may come while it starts, and must not leave it behind
            self._armed.wait()
            yield
        finally:
            self._stop.set()
            if thread.is_alive():
                thread.join()

    def _run(self) -> None:
        try:
            for changes in watch_folder(self._source, self._stop, self._armed.set):
                self._take(set(changes.keys), tuple(changes.prefixes))
        except DocshelfError as error:
            self._activity.problem = error.sentence
            self._say_error(f"{error.sentence} Changes are not followed any more: start again to pick them up.")
        finally:
            self._armed.set()

    def _take(self, keys: set[str], prefixes: tuple[str, ...]) -> None:
        """Index the changed files, trying again as long as the index cannot be written."""
        told = False
        while not self._stop.is_set():
            try:
                if prefixes:
                    keys |= self._indexer.keys_under(prefixes)
                self._tell(self._indexer.follow(keys))
            except DocshelfError as error:
                self._activity.problem = error.sentence
                if not told:
                    self._say_error(f"{error.sentence} docshelf tries again every {RETRY_SECONDS:.0f} seconds.")
                told = True
                self._stop.wait(RETRY_SECONDS)
            else:
                self._activity.problem = None
                return

    def _tell(self, looked: list[Looked]) -> None:
        shown = [one for one in looked if one.change is not Change.UNCHANGED]
        for one in shown[:NAMES_SHOWN]:
            state = f" ({one.draft.record.state})" if one.draft and one.draft.record.reason else ""
            self._say(f"{one.change}: {shown_key(one.key)}{state}")
        if len(shown) > NAMES_SHOWN:
            self._say(f"… and {len(shown) - NAMES_SHOWN:,} files more")
