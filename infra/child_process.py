"""Programs that run in the person's terminal as parts of a command, and end with it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


class TerminatedError(KeyboardInterrupt):
    """The command was asked to end by a signal that its children did not get, unlike Ctrl-C."""


def run_child(command: Sequence[str], *, variables: Mapping[str, str], directory: Path | None = None) -> int:
    """The exit status of `command`, run with the environment `variables` in `directory` (default: where we are).

    Asked to end, we wait for it: it got Ctrl-C as we did, it is passed a signal to us alone, and it says how far it
    came.
    """
    with subprocess.Popen(command, cwd=directory, env=dict(variables)) as process:
        try:
            return process.wait()
        except TerminatedError:
            process.terminate()
            process.wait()
            raise
        except KeyboardInterrupt:
            process.wait()
            raise
