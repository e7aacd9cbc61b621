"""The virtual environment in `.venv`: is it what the requirement files say, and making it so. Standard library only.

`.venv/docshelf-setup.json` says what is installed. It is written before anything is installed ("started") and after
everything is ("done"), so a set-up that was killed is recognised and done anew. Only what a start with nothing to do
needs is imported at the top: that path takes a few milliseconds.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

Kind = Literal["runtime", "deploy", "dev"]
"""Which packages: those of the commands, those and what deploys an environment, or all and the tools of development."""

MODEL_REQUIREMENTS = Path("layers", "model", "requirements-minilm.txt")
REQUIREMENTS: dict[Kind, Path] = {
    "runtime": Path("requirements.txt"),
    "deploy": Path("requirements-deploy.txt"),
    "dev": Path("requirements-dev.txt"),
}
CONTAINED: dict[Kind, tuple[Kind, ...]] = {"runtime": (), "deploy": ("runtime",), "dev": ("deploy", "runtime")}
"""The sets that come with each set."""


class SetupError(Exception):
    """The environment cannot be made; the message is for the person."""


def say(line: str) -> None:
    """Tell the person how the set-up goes."""
    print(line, file=sys.stderr, flush=True)


def python_version() -> str:
    """The version that packages are built for, such as `3.11`."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


class Environment:
    """`.venv` of the repository at `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.directory = root / ".venv"
        self.python = self.directory / "bin" / "python"
        self._record = self.directory / "docshelf-setup.json"

    def digest(self, kind: Kind) -> str:
        """The hash of the requirement files of `kind`. Raises SetupError where one cannot be read."""
        total = hashlib.sha256()
        for name in (REQUIREMENTS[kind], MODEL_REQUIREMENTS):
            try:
                total.update(hashlib.sha256((self.root / name).read_bytes()).digest())
            except OSError as error:
                raise SetupError(f"{name} cannot be read ({error.strerror}): get the repository again.") from error
        return total.hexdigest()

    def record(self) -> dict[str, str] | None:
        """What `.venv` says about itself, or None where it says nothing that can be understood."""
        try:
            content: object = json.loads(self._record.read_bytes())
        except (OSError, ValueError):
            return None
        return {str(key): str(value) for key, value in content.items()} if isinstance(content, dict) else None

    def write_record(self, record: dict[str, str]) -> None:
        """Replace the record in one step."""
        new = self._record.with_suffix(".new")
        new.write_text(json.dumps(record), "utf-8")
        new.replace(self._record)

    def is_ready(self, kind: Kind) -> bool:
        """True where `.venv` holds what the requirement files of `kind` say, for this Python."""
        record = self.record()
        if record is None or record.get("state") != "done" or record.get("python") != python_version():
            return False
        return record.get(kind) == self.digest(kind) and os.access(self.python, os.X_OK)

    def make_ready(self, kind: Kind) -> None:
        """Set up what is missing. Raises SetupError where that cannot be done."""
        if self.is_ready(kind):
            return
        from scripts.environment_setup import set_up

        with self._exclusive() as lock:
            if not self.is_ready(kind):
                set_up(self, kind, lock)

    @contextmanager
    def _exclusive(self) -> Iterator[int]:
        """Hold the lock of the set-up, waiting for another process that has it; gives its file descriptor."""
        # The lock is on a file that is always there, so that none is left behind.
        descriptor = os.open(self.root / "scripts" / "environment.py", os.O_RDONLY)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("Another command is setting docshelf up; waiting for it ...")
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)
