"""Making the virtual environment, with uv where it can be had and with pip otherwise. Standard library only."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from scripts.environment import (
    CONTAINED,
    MODEL_REQUIREMENTS,
    REQUIREMENTS,
    Environment,
    Kind,
    SetupError,
    python_version,
    say,
)

UV_REQUIREMENTS = Path("scripts", "requirements-uv.txt")
_ADDING: dict[Kind, str] = {
    "runtime": "Completing .venv ...",
    "deploy": "Adding what builds and deploys to .venv (650 MB) ...",
    "dev": "Adding the tools of development to .venv ...",
}
_TOLD_EVERY_SECONDS = 20
_TAIL_LINES = 12
# These would send the packages elsewhere, or keep their bytecode from being written.
_UNWANTED_VARIABLES = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PIP_TARGET", "PIP_USER")


class ToolError(SetupError):
    """A tool that was started ended with an error; the message has the end of its output."""


def set_up(environment: Environment, kind: Kind, lock: int) -> None:
    """Make or complete the environment for `kind`. The caller holds `lock`, a file descriptor.

    Raises:
        SetupError: it cannot be made; the next start tries again.
    """
    begun = time.monotonic()
    try:
        _prepare(environment, kind)
        record = {"state": "started", "python": python_version()}
        environment.write_record(record)
        tools = _Tools(environment, lock)
        tools.make_environment()
        tools.install([REQUIREMENTS[kind], MODEL_REQUIREMENTS])
        record = {"state": "done", "python": python_version()}
        record |= {each: environment.digest(each) for each in (kind, *CONTAINED[kind])}
        environment.write_record(record)
    except OSError as error:
        raise SetupError(f"docshelf cannot be set up in {environment.root}: {error}.") from error
    say(f"Set-up finished in {time.monotonic() - begun:.0f} s.")


def _prepare(environment: Environment, kind: Kind) -> None:
    """Remove a `.venv` that cannot be built upon, and say what is going on."""
    directory = environment.directory
    record = environment.record()
    if not os.path.lexists(directory):
        say("Setting up docshelf for the first time (up to 1.8 GB, half a minute to a few minutes) ...")
    elif record is None:
        say("Completing .venv for docshelf ...")
    elif record.get("state") != "done":
        say("The last set-up did not finish; doing it anew (one or two minutes) ...")
        shutil.rmtree(directory)
    elif record.get("python") != python_version() or not os.access(environment.python, os.X_OK):
        say(f"Setting up docshelf anew for Python {python_version()} (one or two minutes) ...")
        shutil.rmtree(directory)
    elif kind not in record:
        say(_ADDING[kind])
    else:
        say("The requirements have changed; bringing .venv up to date ...")
    directory.mkdir(parents=True, exist_ok=True)


def _base_python() -> str:
    """The interpreter outside of any virtual environment."""
    return getattr(sys, "_base_executable", None) or sys.executable


class _Tools:
    """The programs that fill the environment.

    Each inherits the lock: if this process is killed, no other set-up begins before the program has ended.
    """

    def __init__(self, environment: Environment, lock: int) -> None:
        self._environment = environment
        self._lock = lock
        self._python = str(environment.python)
        self._variables = {name: value for name, value in os.environ.items() if name not in _UNWANTED_VARIABLES}

    def make_environment(self) -> None:
        """Make `.venv`, unless it has an interpreter already."""
        if os.access(self._python, os.X_OK):
            return
        directory = str(self._environment.directory)
        uv = shutil.which("uv")
        if uv:
            self._run([uv, "venv", "--allow-existing", "--python", _base_python(), directory], "making .venv with uv")
        elif importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
            self._run([_base_python(), "-m", "venv", directory], "making .venv")
        else:
            raise SetupError(
                f"This Python cannot make virtual environments: install the package python{python_version()}-venv "
                "(Debian, Ubuntu) or uv, and start again."
            )

    def install(self, files: Sequence[Path]) -> None:
        """Install the pinned files, which list every package with its hashes, so that nothing is left to resolve."""
        paths = [str(self._environment.root / name) for name in files]
        pinned = ["--no-deps", "--require-hashes", *(part for path in paths for part in ("-r", path))]
        uv = self._find_uv()
        if uv:
            try:
                self._run(
                    [uv, "pip", "install", "--python", self._python, "--compile-bytecode", *pinned],
                    "installing packages with uv",
                )
            except ToolError:
                say("  uv could not install them; trying pip, which knows this machine's configuration ...")
            else:
                return
        if not self._works([self._python, "-m", "pip", "--version"]):
            self._run([self._python, "-m", "ensurepip"], "bringing pip")
        self._pip_install(pinned, "installing packages with pip")

    def _find_uv(self) -> str | None:
        """The machine's uv, else one in `.venv` (brought there if need be), else None."""
        found = shutil.which("uv")
        if found and self._works([found, "--version"]):
            return found
        brought = str(self._environment.directory / "bin" / "uv")
        if os.access(brought, os.X_OK):
            return brought
        requirements = str(self._environment.root / UV_REQUIREMENTS)
        try:
            self._pip_install(["--only-binary", ":all:", "--require-hashes", "-r", requirements], "bringing uv")
        except ToolError:
            return None
        return brought if os.access(brought, os.X_OK) else None

    def _pip_install(self, arguments: Sequence[str], what: str) -> None:
        self._run([self._python, "-m", "pip", "install", "--disable-pip-version-check", *arguments], what)

    def _works(self, command: Sequence[str]) -> bool:
        try:
            done = subprocess.run(
                command, env=self._variables, capture_output=True, stdin=subprocess.DEVNULL, check=False
            )
        except OSError:
            return False
        return done.returncode == 0

    def _run(self, command: Sequence[str], what: str) -> None:
        say(f"  {what} ...")
        with tempfile.TemporaryFile() as output:
            child = subprocess.Popen(
                command,
                cwd=self._environment.root,
                env=self._variables,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(self._lock,),
            )
            status = _wait(child, what)
            if status != 0:
                raise ToolError(
                    f"docshelf could not be set up: {what} ended with status {status}. Its last words:\n{_tail(output)}"
                )


def _wait(child: subprocess.Popen[bytes], what: str) -> int:
    """Wait for a program, saying now and then that it still runs; end it where the person interrupts."""
    begun = time.monotonic()
    try:
        while True:
            try:
                return child.wait(_TOLD_EVERY_SECONDS)
            except subprocess.TimeoutExpired:
                say(f"  still {what} ({time.monotonic() - begun:.0f} s) ...")
    except KeyboardInterrupt:
        child.terminate()
        child.wait()
        raise


def _tail(output: IO[bytes]) -> str:
    output.seek(0)
    lines = output.read().decode("utf-8", "replace").strip().splitlines()
    return "\n".join(f"    {line}" for line in lines[-_TAIL_LINES:])
