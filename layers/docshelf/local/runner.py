"""The local command: index a folder once, or serve it and follow its changes."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from docshelf.errors import DocshelfError, InvalidArgumentError, StoppedError
from docshelf.index.lock import writer_lock
from docshelf.index.records import DocumentRecord
from docshelf.local.activity import Activity
from docshelf.local.places import claim_for_folder, home, index_root, remember_current
from docshelf.local.report import (
    DownloadReport,
    nothing_searchable,
    passed_over,
    shown_progress,
    shown_text,
    summary_lines,
)
from docshelf.local.starting import StartingShelves
from docshelf.mcp_server.connect import connect_lines
from docshelf.mcp_server.server import listen, serve
from docshelf.settings import limits
from docshelf.sources.folder import FolderSource

if TYPE_CHECKING:
    from docshelf.local.engine import Engine

ACT = 1
"""Exit status where a person must act."""

INTERRUPTED = 130
PATIENCE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class LocalOptions:
    """The command line of `scripts/local`."""

    folder: Path
    port: int = 8080
    index: Path | None = None
    model: str = "auto"
    once: bool = False
    watch: bool = True
    rebuild: bool = False


class LocalRun:
    """One run over one folder. Everything that writes happens on the worker thread; the main thread serves or waits."""

    def __init__(self, options: LocalOptions, out: Console, err: Console) -> None:
        """Raises SettingsError."""
        self._options = options
        self._out = out
        self._err = err
        self._root = options.index or index_root(options.folder, home())
        self._source = FolderSource(options.folder, exclude=(self._root, home()))
        self._limits = limits()
        self._activity = Activity()
        self._shelves = StartingShelves()
        self._stop = threading.Event()
        self._ended = threading.Event()
        self._engine: Engine | None = None
        self._status = 0

    def once(self) -> int:
        """Index the folder, print the summary and return the exit status.

        Raises:
            SourceError: the folder cannot be read; nothing was made or changed.
            InvalidArgumentError: the folder lies in the index.
        """
        self._look_at_the_folder()
        worker = threading.Thread(target=self._work, name="docshelf-index")
        with writer_lock(self._root):
            claim_for_folder(self._root, self._source.root)
            return self._once(worker)

    def _once(self, worker: threading.Thread) -> int:
        try:
            worker.start()
            # Not join: interrupted, it may take a thread that runs for one that has ended.
            while not self._ended.wait(0.2):
                pass
        except KeyboardInterrupt:
            self._end(worker)
            self._say_error("Stopped. What was indexed is kept; the next start goes on from there.")
            return INTERRUPTED
        return self._status

    def serve(self) -> int:
        """Serve at once, index behind it, follow changes until Ctrl-C; return the exit status.

        Raises:
            SourceError: the folder cannot be read; nothing was made or changed.
            SettingsError: the port cannot be had.
            IndexLockedError, IndexUnavailableError: another process writes the index, or it cannot be written.
            IndexMismatchError: the index was made from another folder.
        """
        self._look_at_the_folder()
        with listen(self._options.port) as listener, writer_lock(self._root):
            claim_for_folder(self._root, self._source.root)
            return self._serve(listener)

    def _serve(self, listener: socket.socket) -> int:
        worker = threading.Thread(target=self._work, name="docshelf-index")

        def started(url: str) -> None:
            self._say(f"docshelf serves {self._source.root} at {url}")
            for client, text in connect_lines(url):
                self._say(f"  {client}:\n    {text}")
            worker.start()

        serve(self._shelves.open, listener, on_started=started, stop=self._stop)
        self._end(worker)
        if self._status == 0:
            self._say("Stopped.")
        return self._status

    def _look_at_the_folder(self) -> None:
        next(self._source.list(), None)
        if self._source.root.is_relative_to(self._root.resolve()):
            raise InvalidArgumentError(
                f"The folder {self._source.root} lies in the index {self._root}: choose another directory with --index."
            )

    def _work(self) -> None:
        well = False
        try:
            with ExitStack() as stack:
                self._run(stack)
            well = True
        except StoppedError:
            well = True
        except DocshelfError as error:
            self._say_error(error.sentence)
        finally:
            if not well:  # a fault of ours too must end the server and show in the exit status
                self._status = ACT
                self._stop.set()
            self._ended.set()

    def _run(self, stack: ExitStack) -> None:
        # LanceDB and the model's runtime take seconds to import: meanwhile the server answers already.
        from docshelf.local.engine import build_engine, finish_rebuild
        from docshelf.local.follow import Follower

        options = self._options
        with DownloadReport(self._err) as report:
            engine = build_engine(
                stack,
                self._source,
                self._root,
                model=options.model,
                rebuild=options.rebuild,
                limits=self._limits,
                activity=self._activity,
                on_download=self._unless_stopped(report),
            )
        self._engine = engine
        self._say(engine.note)
        self._say(f"Index: {self._root}")
        if options.index is None:
            remember_current(self._root, home())
        self._activity.begin(0, 0)  # from the first answer of the real shelf on
        self._shelves.ready(engine.shelves.for_caller)
        if self._stop.is_set():
            return
        follower = Follower(self._source, engine.indexer, self._activity, self._stop, self._say, self._say_error)
        if options.watch and not options.once:
            stack.enter_context(follower.watching())
        with shown_progress(self._activity, self._err):
            engine.indexer.scan()
        if self._stop.is_set():
            return
        if engine.finish_rebuild:
            finish_rebuild(self._root, engine.finish_rebuild)
        self._summarise(engine.index.all_documents())
        if not options.once:
            self._stop.wait()

    def _summarise(self, found: Iterable[DocumentRecord]) -> None:
        documents = list(found)
        for line in summary_lines(
            self._activity.snapshot(),
            documents,
            self._passed_over(),
        ):
            self._say(line)
        sentence = nothing_searchable(documents, self._source.root)
        if sentence:
            self._say_error(sentence)
            if self._options.once:
                self._status = ACT

    def _passed_over(self) -> list[str]:
        source = self._source
        return passed_over(source.unreadable, source.ignored_directories(), source.links_outside())

    def _end(self, worker: threading.Thread) -> None:
        self._stop.set()
        if self._engine:
            self._engine.indexer.stop()
        if worker.ident is not None:
            if not self._ended.wait(PATIENCE_SECONDS):
                self._say("Stopping; what is ready is still being written …")
            self._ended.wait()
            worker.join()
        self._shelves.abandon()

    def _unless_stopped(self, report: DownloadReport) -> Callable[[int, int], None]:
        """A fetch can take minutes: Ctrl-C ends it at the next bytes, and what has arrived is kept."""

        def progress(done: int, total: int) -> None:
            if self._stop.is_set():
                raise StoppedError("Stopped while the model was fetched.")
            report(done, total)

        return progress

    def _say(self, text: str) -> None:
        _print(self._out, text)

    def _say_error(self, text: str) -> None:
        _print(self._err, text)


def _print(console: Console, text: str) -> None:
    """A full disk or a closed terminal behind the output does not decide what is indexed."""
    with contextlib.suppress(OSError):
        console.print(shown_text(text), markup=False, highlight=False, soft_wrap=True)
