"""Programs that want a terminal, started in one."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

_ROWS, _COLUMNS = 50, 300
_POLL_SECONDS = 0.2
_READ_BYTES = 65_536
_SEQUENCE = re.compile(r"\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)|\[[0-9;?]*[ -/]*[@-~]|[@-Z\\-_])")


class Ran(NamedTuple):
    """How a program ended, and what it wrote to the terminal, without colours and movements."""

    status: int
    text: str


def run_in_terminal(command: Sequence[str], environment: Mapping[str, str], directory: Path, seconds: float) -> Ran:
    """Run a program in a terminal of its own until it ends; nobody types.

    Raises:
        subprocess.TimeoutExpired: it has not ended within `seconds`, and has been killed.
    """
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (_ROWS, _COLUMNS))
    ends = time.monotonic() + seconds
    with closing(os.fdopen(ours, "rb", buffering=0)) as screen:
        try:
            process = subprocess.Popen(
                command,
                env={**environment, "TERM": "xterm-256color"},
                cwd=directory,
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                start_new_session=True,
            )
        finally:
            os.close(theirs)
        with process:
            written = b""
            while part := _next(screen.fileno(), ends):
                written += part
            text = _SEQUENCE.sub("", written.decode("utf-8", "replace"))
            try:
                status = process.wait(max(_POLL_SECONDS, ends - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                raise subprocess.TimeoutExpired(list(command), seconds, output=text) from None
    return Ran(status, text)


def _next(screen: int, ends: float) -> bytes:
    """What comes next; empty where the last program has closed the terminal, or the time is over."""
    while time.monotonic() < ends:
        if select.select([screen], [], [], _POLL_SECONDS)[0]:
            try:
                return os.read(screen, _READ_BYTES)
            except OSError:  # Linux says so when the terminal is closed
                return b""
    return b""
