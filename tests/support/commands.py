"""Starting the commands as a person does: in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SECONDS = 90
"""The longest that any command may take, on a machine that does other things too."""


def command_line(command: str, *arguments: str | Path) -> list[str]:
    """What starts `scripts/COMMAND` without its set-up."""
    return [sys.executable, "-m", f"docshelf.commands.{command}", *map(str, arguments)]


def environment(home: Path, **more: str) -> dict[str, str]:
    """The variables of the process: no network, and everything it keeps in `home`."""
    return (
        os.environ
        | {
            "PYTHONPATH": str(ROOT / "layers"),
            "DOCSHELF_HOME": str(home),
            "DOCSHELF_OFFLINE": "1",
            "PYTHONUTF8": "1",
            "PYTHONUNBUFFERED": "",
        }
        | more
    )


def run(home: Path, command: str, *arguments: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; it never shows a traceback."""
    done = subprocess.run(
        command_line(command, *arguments),
        env=environment(home, **more),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@contextmanager
def started(home: Path, command: str, *arguments: str | Path, **more: str) -> Iterator[subprocess.Popen[str]]:
    """A command that goes on while the block runs, in a process group of its own as from a shell."""
    with subprocess.Popen(
        command_line(command, *arguments),
        env=environment(home, **more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def url_from(process: subprocess.Popen[str]) -> str:
    """The address that `scripts/local` prints first."""
    assert process.stdout
    line = process.stdout.readline()
    before, _, url = line.strip().rpartition(" at ")
    assert before.startswith("docshelf serves "), line + (process.stderr.read() if process.stderr else "")
    return url
