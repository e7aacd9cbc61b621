"""What a person sees of indexing: connection lines, progress, the summary."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from docshelf.background import in_background
from docshelf.index.records import CollectionSummary, DocumentRecord
from docshelf.local.activity import Activity, Change, Snapshot
from docshelf.states import State

PLAIN_SECONDS = 5.0
BAR_SECONDS = 0.2
NAMES_SHOWN = 20
_COMMANDS_TO_A_TERMINAL = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069]")


def counted(number: int, noun: str) -> str:
    """`1 document`, `2 documents`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """`48 s`, `12 min`, `1 h 05 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


def progress_line(counts: Snapshot) -> str:
    """One plain line: documents, chunks, rate, time left."""
    left = counts.seconds_left
    return (
        f"{counts.done:,} of {counted(counts.total, 'document')}, {counted(counts.chunks, 'chunk')} embedded "
        f"({counts.chunks_per_second:.0f} a second){f', about {duration(left)} left' if left is not None else ''}"
    )


def change_line(counts: Snapshot) -> str:
    """What the scan did: `3 added, 1 changed, 5 unchanged`."""
    done = [f"{counts.changes[change]:,} {change}" for change in Change if counts.changes.get(change)]
    return ", ".join(done) or "nothing to do"


def summary_lines(counts: Snapshot, documents: Sequence[DocumentRecord], notes: Sequence[str] = ()) -> Iterator[str]:
    """What was done, the files' states, and sentences about what was passed over."""
    yield f"Done in {duration(counts.seconds)}: {change_line(counts)}. {counted(counts.chunks, 'chunk')} embedded."
    yield ""
    yield from state_lines(documents)
    if notes:
        yield ""
        yield from notes


def collection_lines(summaries: Sequence[CollectionSummary]) -> Iterator[str]:
    """A table: each collection with its counts."""
    width = max([len("collection"), *(len(shown_key(summary.name)) for summary in summaries)])
    yield f"{'collection':<{width}} {'documents':>9} {'indexed':>9} {'chunks':>9}"
    for each in summaries:
        yield f"{shown_key(each.name):<{width}} {each.documents:>9,} {each.indexed:>9,} {each.chunks:>9,}"


def state_lines(documents: Sequence[DocumentRecord]) -> Iterator[str]:
    """A table: a count per state, then each file that is not searchable with its state and the reason."""
    by_state: dict[State, list[DocumentRecord]] = {state: [] for state in State}
    for document in documents:
        by_state[document.state].append(document)
    yield f"{'state':<12} {'documents':>9}"
    for state, found in by_state.items():
        if found:
            yield f"{state.value:<12} {len(found):>9,}"
    problems = [document for state, found in by_state.items() if state is not State.INDEXED for document in found]
    if problems:
        yield ""
    width = max((len(document.state.value) for document in problems), default=0)
    for document in problems:
        yield f"{document.state.value:<{width}}  {shown_key(document.source)}: {document.reason or 'waiting'}"


def passed_over(unreadable: Sequence[tuple[str, str]], ignored: Sequence[str], outside: Sequence[str]) -> list[str]:
    """Sentences about what was not looked at: prefixes with their reasons, tools' directories, links that lead out."""
    sentences = [
        f"{shown_key(prefix)}: {sentence} Its documents are kept as they were." for prefix, sentence in unreadable
    ]
    if ignored:
        sentences.append(f"Passed over, as they belong to tools: {_names(ignored)}.")
    if outside:
        sentences.append(f"Not followed, as these links lead out of the folder: {_names(outside)}.")
    return sentences


def _names(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - NAMES_SHOWN:,} more" if len(keys) > NAMES_SHOWN else ""
    return ", ".join(map(shown_key, keys[:NAMES_SHOWN])) + more


def nothing_searchable(documents: Sequence[DocumentRecord], folder: Path) -> str | None:
    """The sentence for a folder of which nothing can be found, or None."""
    if not documents:
        return f"{folder} holds no documents: put some there, or name another folder."
    if all(document.state is not State.INDEXED for document in documents):
        return f"None of the {counted(len(documents), 'file')} in {folder} is searchable: the reasons stand above."
    return None


def shown_key(key: str) -> str:
    """A key on one line of a terminal: control characters are shown as their escapes."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in key)


def shown_text(text: str) -> str:
    """Text of any origin for a terminal: what would move the cursor, set the title or turn the line is escaped."""
    return _COMMANDS_TO_A_TERMINAL.sub(lambda match: ascii(match.group())[1:-1], text)


@contextmanager
def shown_progress(activity: Activity, console: Console) -> Iterator[None]:
    """Show the activity while the block runs: a bar on a terminal, else a plain line every few seconds."""
    show = _show_bar if console.is_terminal else _show_lines
    with in_background(partial(show, activity, console), "docshelf-progress"):
        yield


def _show_lines(activity: Activity, console: Console, ended: threading.Event) -> None:
    while not ended.wait(PLAIN_SECONDS):
        counts = activity.snapshot()
        if counts.running:
            console.print(f"Indexing: {progress_line(counts)}", highlight=False, soft_wrap=True)


def _show_bar(activity: Activity, console: Console, ended: threading.Event) -> None:
    columns = (TextColumn("Indexing"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as bar:
        task: TaskID = bar.add_task("", total=None)
        while not ended.wait(BAR_SECONDS):
            counts = activity.snapshot()
            if counts.running:
                text = progress_line(counts).partition(", ")[2]
                bar.update(task, total=counts.total or None, completed=counts.done, description=text)


class DownloadReport:
    """Shows a fetch: a bar on a terminal, else a line at every tenth. Called with bytes done and bytes in all.

    As a context manager it takes the bar of a fetch that failed away with the end of the block.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Progress | None = None
        self._tenth = -1

    def __call__(self, done: int, total: int) -> None:
        """Take the latest numbers."""
        if not self._console.is_terminal:
            tenth = done * 10 // max(total, 1)
            if tenth != self._tenth:
                self._tenth = tenth
                megabytes = f"{done / 1e6:.0f} of {total / 1e6:.0f} MB"
                self._console.print(f"Fetching the model: {megabytes}", highlight=False)
            return
        if self._bar is None:
            columns = (TextColumn("Fetching the model"), BarColumn(), DownloadColumn())
            self._bar = Progress(*columns, console=self._console, transient=True)
            self._bar.start()
            self._bar.add_task("", total=total)
        self._bar.update(TaskID(0), completed=done, total=total)
        if done >= total:
            self.close()

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
