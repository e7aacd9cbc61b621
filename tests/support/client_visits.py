"""A client's stay at a server: where it lives, what it is told, and what it says."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.node_clients import NodeClients
from tests.support.person import PROGRAM

NAME = "docs"
"""What the server is called in the settings of clients."""

TOOL, QUESTION = "search_documents", {"query": "Which bank provided the loan?"}
ANSWER = "Nordhamn Bank"
"""What the examples answer."""

SECONDS = 60.0
"""The longest that a program may take."""

_AWAY = "http://127.0.0.1:9"


class ClientError(Exception):
    """The client did not do it; the text is what it says (`said`), and what happened at the browser."""

    def __init__(self, said: str, browser: str) -> None:
        super().__init__(f"{said}\n-- at the browser:\n{browser}")
        self.said = said


@dataclass(frozen=True, slots=True)
class Visit:
    """A client's stay at the server at `url`; a person answers the browser that is started in `home`."""

    node: NodeClients
    home: Path
    url: str

    def environment(self, **more: str) -> dict[str, str]:
        """The variables of the client, by which nothing leaves this machine."""
        browser = str(self.home / PROGRAM)
        usual = self.node.environment(self.home)
        variables = {
            "PATH": f"{self.home}:{usual['PATH']}",
            "BROWSER": browser,
            "DISPLAY": ":0",
            "MCP_URL": self.url,
            "HTTPS_PROXY": _AWAY,
            "NO_PROXY": "localhost,127.0.0.1",
        }
        return {**usual, **variables, **more}

    def run(self, command: Sequence[str], **more: str) -> str:
        """What the program says to its end.

        Raises:
            ClientError: it failed.
        """
        done = subprocess.run(
            command,
            env=self.environment(**more),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        if done.returncode != 0:
            raise self.error(f"{shlex.join(command)}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def error(self, said: str) -> ClientError:
        """An error that shows what the client said and what the person saw."""
        log = self.home / "person.log"
        return ClientError(said, log.read_text("utf-8") if log.exists() else "nothing")
