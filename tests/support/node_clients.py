"""Node and the clients that run on it.

Node comes with the tools of development, from PyPI; the clients come from npm the first time a test needs them, as
`tests/e2e/clients/package-lock.json` says, into `.docshelf/clients`.
"""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from infra.deployment.node import NODE, InstallError, install_packages, path_with_node
from tests.support.commands import ROOT

__all__ = ["CODING_DEFINITION", "DEFINITION", "InstallError", "NodeClients", "installed_clients"]

DEFINITION = ROOT / "tests" / "e2e" / "clients"
"""What is to be installed, and the scripts and lists that go with it."""

CODING_DEFINITION = DEFINITION.with_name("signin_clients")
"""The coding clients, which are large."""

DIRECTORY = ROOT / ".docshelf" / "clients"
_PROGRAM_SECONDS = 60


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
        return {"PATH": path_with_node(), **variables, **more}

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
    install_packages("What the end-to-end tests need", definition, directory)
    return NodeClients(NODE, directory)
