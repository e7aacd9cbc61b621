"""What an editor does with Codex: it starts the program's server and speaks JSON-RPC with it, a message a line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_SECONDS = 60


class CodexServerError(Exception):
    """The program answered with an error, or ended without an answer; the text is what it says."""


def call_tool(
    command: Sequence[str], environment: Mapping[str, str], directory: Path, server: str, tool: str, arguments: object
) -> dict[str, Any]:
    """What `tool` of the MCP server that Codex calls `server` answers; `command` starts the program's server.

    Raises:
        CodexServerError: there is no answer of the tool.
    """
    log = directory / "codex-server.log"
    with (
        log.open("w", encoding="utf-8") as errors,
        subprocess.Popen(
            command,
            env=environment,
            cwd=directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        # Of the whole group: what was started is a script that starts the program.
        limit = threading.Timer(_SECONDS, os.killpg, (process.pid, signal.SIGKILL))
        limit.start()
        try:
            _ask(process, 1, "initialize", {"clientInfo": {"name": "docshelf-tests", "version": "1.0.0"}})
            _send(process, {"method": "initialized"})
            thread = _ask(process, 2, "thread/start", {})["thread"]["id"]
            call = {"threadId": thread, "server": server, "tool": tool, "arguments": arguments}
            return _ask(process, 3, "mcpServer/tool/call", call)
        finally:
            assert process.stdin is not None
            process.stdin.close()  # by which it ends
            process.wait()
            limit.cancel()


def _send(process: subprocess.Popen[str], message: object) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def _ask(process: subprocess.Popen[str], number: int, method: str, parameters: object) -> dict[str, Any]:
    _send(process, {"id": number, "method": method, "params": parameters})
    assert process.stdout is not None
    for line in process.stdout:
        message: dict[str, Any] = json.loads(line)
        if message.get("id") == number and "method" not in message:
            if "error" in message:
                raise CodexServerError(message["error"]["message"])
            result: dict[str, Any] = message["result"]
            return result
    raise CodexServerError(f"{method} has no answer: Codex has ended.")
