"""The part of the official conformance suite that looks at an authorization server, with a person at the browser."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import threading
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.support.client_rows import Program
from tests.support.client_visits import Visit
from tests.support.cognito_pool import Person
from tests.support.oauth_client import register
from tests.support.person import allow_and_sign_in

CONFORMANCE = Program(
    "conformance suite {}",
    "@modelcontextprotocol/conformance",
    "conformance authorization --url https://docs.example.com --client-id ID --resource MCP_URL",
)
_SECONDS = 60.0
_RUN_AT = re.compile(r"-\d{4}-\d{2}-\d{2}T.*$")
_LISTENING = "Callback server started"
_ADDRESS = re.compile(r"^http\S+/authorize\?\S+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the suite ended, what it said, and its checks as (scenario, check, status)."""

    status: int
    text: str
    checks: list[tuple[str, str, str]]


def conformance_of_signin(visit: Visit, person: Person) -> Verdict:
    """Run every scenario against the server of `visit`, for a client that has just been registered."""
    origin, results = visit.url.removesuffix(urlsplit(visit.url).path), visit.home / "results"
    port = _free_port()
    client_id = register(origin, f"http://127.0.0.1:{port}/callback", name="Conformance suite").json()["client_id"]
    arguments = ["--url", origin, "--client-id", client_id, "--resource", visit.url]
    command = visit.node.command("conformance", "authorization", *arguments, "-p", str(port), "-o", str(results))
    text = ""
    with subprocess.Popen(
        command,
        env=visit.environment(),
        cwd=visit.home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        limit = threading.Timer(_SECONDS, process.kill)
        limit.start()
        assert process.stdout is not None
        for line in process.stdout:
            text += line
            if line.startswith(_LISTENING):
                allow_and_sign_in(_ADDRESS.findall(text)[-1], person)
        status = process.wait()
        limit.cancel()
    checks = [
        (_scenario(path.parent.name), check["id"], check["status"])
        for path in sorted(results.glob("*/checks.json"))
        for check in json.loads(path.read_text("utf-8"))
    ]
    return Verdict(status, text, checks)


def _scenario(directory: str) -> str:
    """The scenario whose results are in a directory of this name: it ends with the time at which it was run."""
    return _RUN_AT.sub("", directory).removeprefix("authorization-server-")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
