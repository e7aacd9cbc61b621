"""CDK's command line, at the version of `infra/package-lock.json`, on the Node that comes with our packages."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from infra.child_process import run_child
from infra.deployment.node import NODE, install_packages, path_with_node, tail
from infra.errors import InfrastructureError

APP = Path(__file__).resolve().parents[1]
"""Where `cdk.json` is, and where the command line runs."""

_VERSION_SECONDS = 60


class CdkError(InfrastructureError):
    """CDK's command line cannot be had, or ended with an error; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Cdk:
    """The command line `program` (a script for `node`), which runs beside the app in `directory`."""

    node: Path = NODE
    program: Path = APP / "node_modules" / "aws-cdk" / "bin" / "cdk"
    directory: Path = APP

    def run(self, *arguments: str, region: str, outside_of_app: bool = False) -> int:
        """Run it in the person's terminal and return its exit status.

        `outside_of_app` runs it where there is no app, which it would otherwise build first.
        """
        command = [str(self.node), str(self.program), *arguments]
        with tempfile.TemporaryDirectory() as empty:
            directory = empty if outside_of_app else self.directory
            return run_child(command, variables=self.variables(os.environ, region), directory=Path(directory))

    def variables(self, given: Mapping[str, str], region: str) -> dict[str, str]:
        """`given` with what the command line and the app need: our Node before any other, and no statistics for AWS."""
        return {
            **given,
            "PATH": path_with_node(given.get("PATH"), self.node),
            "AWS_REGION": region,
            "CDK_DISABLE_CLI_TELEMETRY": "true",
        }

    @property
    def _anew(self) -> str:
        return f"delete {self.directory / 'node_modules'} and start again, which installs it anew."

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
                timeout=_VERSION_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CdkError(f"CDK's command line does not run ({error}): {self._anew}") from error
        if done.returncode != 0 or not done.stdout.strip():
            raise CdkError(f"CDK's command line does not run: {self._anew}{tail(done.stdout + done.stderr)}")
        return done.stdout.split()[0]


def installed_cdk(directory: Path = APP) -> Cdk:
    """The command line, installed in `directory` where the lock file or Node has changed.

    Raises:
        InstallError: it cannot be installed.
    """
    install_packages("CDK's command line", directory, directory)
    return Cdk(program=directory / "node_modules" / "aws-cdk" / "bin" / "cdk", directory=directory)


def shown(arguments: Sequence[str]) -> str:
    """A command of CDK as a person would type it in `infra/`."""
    return " ".join(["npx", "cdk", *arguments])
