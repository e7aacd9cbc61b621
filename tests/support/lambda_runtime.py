"""AWS's own runtime client in a process of its own, working from the interface that Lambda offers to a runtime."""

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
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from tests.support.handler_processes import ROOT, HandlerEndedError, HandlerFailedError
from tests.support.runtime_api import Exchange, Invocation, Outcome, RuntimeApi

_REGION = "us-east-1"
_MEMORY_MB = 1769
_LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Home:
    """Where a function lives: the command that runs its handler, its directory, and all variables of its process."""

    command: tuple[str, ...]
    task_root: Path
    variables: Mapping[str, str]

    @classmethod
    def of_repository(cls, name: str) -> Self:
        """The function as it is in the repository, run by this interpreter with this process's variables."""
        task_root = ROOT / "functions" / name
        paths = os.pathsep.join([str(task_root), str(ROOT / "layers")])
        command = (sys.executable, "-m", "awslambdaric", "handler.handler")
        return cls(command, task_root, {**os.environ, "PYTHONPATH": paths})


class LambdaRuntime:
    """A function of `functions/NAME` in a process of its own under `awslambdaric`; it ends with the block.

    One invocation at a time, as in an execution environment of Lambda.
    """

    def __init__(
        self,
        name: str,
        environment: Mapping[str, str],
        log: Path,
        *,
        seconds: float = 60.0,
        snap_start: bool = False,
        home: Home | None = None,
    ) -> None:
        """`seconds` is the function's timeout; its output goes to `log`.

        With `snap_start` the process waits at the moment of its snapshot: see `wait_for_snapshot` and `restore`.
        """
        self._name, self._environment, self._log, self._seconds = name, dict(environment), log, seconds
        self._home = home or Home.of_repository(name)
        self._type = "snap-start" if snap_start else "on-demand"
        self._exchange = Exchange(f"arn:aws:lambda:{_REGION}:123456789012:function:{name}")
        self._ends = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as ends:
            server = RuntimeApi(self._exchange)
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

    @property
    def pid(self) -> int:
        """The id of the function's process."""
        return self._process.pid

    def __call__(self, event: object) -> object:
        """The function's answer to `event`.

        Raises:
            HandlerFailedError: the function raised, or could not start; the text is what the runtime reports.
            HandlerEndedError: its process ended, or had no answer within its time.
        """
        request_id, deadline = str(uuid.uuid4()), time.time() + self._seconds
        self._exchange.events.put(Invocation(request_id, json.dumps(event).encode(), deadline))
        end = time.monotonic() + self._seconds
        while self._goes_on(end):
            outcome = self._outcome()
            if outcome is not None and outcome.request_id == request_id:
                return json.loads(outcome.body)
        raise self._ended("has no answer")

    def wait_for_snapshot(self) -> None:
        """Wait until the process has started and prepared itself for a snapshot.

        Raises:
            HandlerFailedError: it could not; the text is what the runtime reports.
            HandlerEndedError: its process ended, or was not ready within its time.
        """
        end = time.monotonic() + self._seconds
        while not self._exchange.snapshot.is_set():
            if not self._goes_on(end):
                raise self._ended("is not ready for a snapshot")
            self._outcome()

    def restore(self) -> None:
        """Go on, as an instance that begins from the snapshot does."""
        self._exchange.restored.set()

    def _goes_on(self, end: float) -> bool:
        return time.monotonic() < end and self._process.poll() is None

    def _outcome(self) -> Outcome | None:
        """What the runtime has reported, after a moment's waiting; raises HandlerFailedError for a failure."""
        try:
            outcome = self._exchange.outcomes.get(timeout=_LOOK_SECONDS)
        except queue.Empty:
            return None
        if outcome.failed:
            raise HandlerFailedError(outcome.body.decode())
        return outcome

    def _ended(self, what: str) -> HandlerEndedError:
        return HandlerEndedError(f"{self._name} {what}; its process has the status {self._process.poll()}")

    def _start(self, port: int, log: BinaryIO) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._home.command,
            cwd=self._home.task_root,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={
                **self._home.variables,
                "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{port}",
                "AWS_LAMBDA_FUNCTION_NAME": self._name,
                "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
                "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(_MEMORY_MB),
                "AWS_LAMBDA_INITIALIZATION_TYPE": self._type,
                "AWS_REGION": _REGION,
                "LAMBDA_TASK_ROOT": str(self._home.task_root),
                **self._environment,
            },
        )

    def _end(self) -> None:
        # The client waits for its next event and ends in no other way.
        self._process.kill()
        self._process.wait()
        self._exchange.close()
