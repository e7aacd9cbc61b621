"""Lambda handlers as processes of their own, which can be killed at any moment; see `handler_server`."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parents[2]
_SERVER = Path(__file__).with_name("handler_server.py")
_START_SECONDS = 60.0
# The server is not measured: most of its children do not live to tell, and the others would take twice as long.
_DROPPED = ("COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG")


class HandlerEndedError(Exception):
    """The handler's process ended, or had to be ended, during an invocation."""


class HandlerFailedError(Exception):
    """The handler raised; the text is its traceback."""


@dataclass(frozen=True)
class HandlerProcess:
    """One handler process; use it from one thread, `kill` from any."""

    pid: int
    connection: Connection

    def invoke(self, request_id: str, seconds: float, event: object) -> object:
        """Have the handler answer `event` within `seconds`.

        Raises:
            HandlerEndedError: the process ended before it answered, or was ended because its time was up.
            HandlerFailedError: the handler raised.
        """
        try:
            self.connection.send_bytes(json.dumps([request_id, seconds, event]).encode())
            if not self.connection.poll(seconds):
                self.kill()
                raise HandlerEndedError(f"no answer within {seconds} s")
            answer = json.loads(self.connection.recv_bytes())
        except (EOFError, OSError) as error:
            raise HandlerEndedError("killed") from error
        if "error" in answer:
            raise HandlerFailedError(answer["error"])
        return answer["answer"]

    def kill(self) -> None:
        """End the process at once; a process that has ended stays ended."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the process and what is kept for it."""
        self.kill()
        self.connection.close()


class HandlerServer:
    """Starts handler processes; as a context manager it ends with the block, and they with it."""

    def __enter__(self) -> Self:
        self._control, theirs = socket.socketpair()
        self._control.settimeout(_START_SECONDS)
        self._lock = threading.Lock()
        kept = {name: value for name, value in os.environ.items() if name not in _DROPPED}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_SERVER), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=kept | {"PYTHONPATH": str(ROOT / "layers"), "PYTHONUTF8": "1", "PYTHONWARNINGS": "default"},
                cwd=ROOT,
            )
        self._answers = self._control.makefile("r")
        if self._answers.readline() != "ready\n":
            raise RuntimeError(f"the handler server did not start: status {self._process.wait(_START_SECONDS)}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._answers.close()
        self._control.close()
        try:
            self._process.wait(_START_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def start(self, handler: Path, environment: Mapping[str, str], log: Path) -> HandlerProcess:
        """A new process that serves `handler(event, context)` of the file `handler`; its output goes to `log`."""
        request = {"handler": str(handler), "environment": dict(environment), "log": str(log)}
        ours, theirs = socket.socketpair()
        with self._lock, theirs:
            socket.send_fds(self._control, [json.dumps(request).encode()], [theirs.fileno()])
            pid = int(self._answers.readline())
        return HandlerProcess(pid, Connection(ours.detach()))
