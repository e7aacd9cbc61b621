"""The interface that Lambda offers to a runtime, on this machine, and AWS's own runtime client working from it."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from tests.support.handler_processes import ROOT, HandlerEndedError, HandlerFailedError

_VERSION = "/2018-06-01"
_REGION = "us-east-1"
_MEMORY_MB = 1769


@dataclass(frozen=True, slots=True)
class _Invocation:
    """An event for the runtime; `deadline` in seconds of Unix time."""

    request_id: str
    event: bytes
    deadline: float


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What the runtime reported: of an invocation, or of its own start where `request_id` is empty."""

    request_id: str
    failed: bool
    body: bytes


class LambdaRuntime:
    """A function of `functions/NAME` in a process of its own under `awslambdaric`; it ends with the block.

    One invocation at a time, as in an execution environment of Lambda.
    """

    def __init__(self, name: str, environment: Mapping[str, str], log: Path, *, seconds: float = 60.0) -> None:
        """`seconds` is the function's timeout; its output goes to `log`."""
        self._name, self._environment, self._log, self._seconds = name, dict(environment), log, seconds
        self._events: queue.Queue[_Invocation | None] = queue.Queue()
        self._outcomes: queue.Queue[_Outcome] = queue.Queue()
        self._ends = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as ends:
            server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self._events, self._outcomes, self._arn))
            server.daemon_threads = True
            ends.callback(server.server_close)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            ends.callback(server.shutdown)
            log = ends.enter_context(self._log.open("ab"))
            self._process = self._start(server.server_port, log)
            ends.callback(self._end)
            self._ends = ends.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.close()

    def __call__(self, event: object) -> object:
        """The function's answer to `event`.

        Raises:
            HandlerFailedError: the function raised, or could not start; the text is what the runtime reports.
            HandlerEndedError: its process ended, or had no answer within its time.
        """
        request_id, end = str(uuid.uuid4()), time.monotonic() + self._seconds
        self._events.put(_Invocation(request_id, json.dumps(event).encode(), time.time() + self._seconds))
        while time.monotonic() < end and self._process.poll() is None:
            try:
                outcome = self._outcomes.get(timeout=0.1)
            except queue.Empty:
                continue
            if outcome.failed:
                raise HandlerFailedError(outcome.body.decode())
            if outcome.request_id == request_id:
                return json.loads(outcome.body)
        raise HandlerEndedError(f"{self._name} has no answer; its process has the status {self._process.poll()}")

    @property
    def _arn(self) -> str:
        return f"arn:aws:lambda:{_REGION}:123456789012:function:{self._name}"

    def _start(self, port: int, log: BinaryIO) -> subprocess.Popen[bytes]:
        task_root = ROOT / "functions" / self._name
        return subprocess.Popen(
            [sys.executable, "-m", "awslambdaric", "handler.handler"],
            cwd=task_root,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={
                **os.environ,
                "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{port}",
                "AWS_LAMBDA_FUNCTION_NAME": self._name,
                "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
                "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(_MEMORY_MB),
                "AWS_REGION": _REGION,
                "LAMBDA_TASK_ROOT": str(task_root),
                "PYTHONPATH": os.pathsep.join([str(task_root), str(ROOT / "layers")]),
                **self._environment,
            },
        )

    def _end(self) -> None:
        # The client waits for its next event and ends in no other way.
        self._process.kill()
        self._process.wait()
        self._events.put(None)


def _handler(
    events: queue.Queue[_Invocation | None], outcomes: queue.Queue[_Outcome], arn: str
) -> type[BaseHTTPRequestHandler]:
    class Api(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # headers and body are written one after the other

        def do_GET(self) -> None:
            if self.path != f"{_VERSION}/runtime/invocation/next":
                self.send_error(404)
                return
            invocation = events.get()
            if invocation is None:
                self.close_connection = True
                return
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(invocation.event)))
            self.send_header("Lambda-Runtime-Aws-Request-Id", invocation.request_id)
            self.send_header("Lambda-Runtime-Deadline-Ms", str(int(invocation.deadline * 1000)))
            self.send_header("Lambda-Runtime-Invoked-Function-Arn", arn)
            self.end_headers()
            self.wfile.write(invocation.event)

        def do_POST(self) -> None:
            body = self._body()
            match self.path.removeprefix(f"{_VERSION}/runtime/").split("/"):
                case ["invocation", request_id, "response" | "error" as outcome]:
                    outcomes.put(_Outcome(request_id, outcome == "error", body))
                case ["init", "error"]:
                    outcomes.put(_Outcome("", True, body))
                case _:
                    self.send_error(404)
                    return
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _body(self) -> bytes:
            if "chunked" not in self.headers.get("Transfer-Encoding", ""):
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Api
