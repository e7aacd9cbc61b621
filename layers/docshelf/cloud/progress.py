"""Showing how far something long has come: a bar on a terminal, else a plain line now and then."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from docshelf.background import in_background
from docshelf.local.report import BAR_SECONDS, PLAIN_SECONDS


@dataclass(frozen=True, slots=True)
class Step:
    """How far it is: `done` of `total`, and what else there is to say. Nothing is shown while `total` is 0."""

    done: int = 0
    total: int = 0
    text: str = ""


@contextmanager
def shown_steps(label: str, look: Callable[[], Step], console: Console) -> Iterator[None]:
    """Show what `look` gives, on a thread, while the block runs."""
    show = _show_bar if console.is_terminal else _show_lines
    with in_background(partial(show, label, look, console), "docshelf-progress"):
        yield


def _show_lines(label: str, look: Callable[[], Step], console: Console, ended: threading.Event) -> None:
    while not ended.wait(PLAIN_SECONDS):
        step = look()
        if step.total:
            text = f", {step.text}" if step.text else ""
            console.print(f"{label}: {step.done:,} of {step.total:,}{text}", highlight=False, markup=False)


def _show_bar(label: str, look: Callable[[], Step], console: Console, ended: threading.Event) -> None:
    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None)
        while not ended.wait(BAR_SECONDS):
            step = look()
            progress.update(task, completed=step.done, total=step.total or None, description=step.text)
