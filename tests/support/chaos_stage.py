"""What the randomized test runs on: a server, a proxy, handler processes; shared by the seeds of one process."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.chaos_contents import LIMITS
from tests.support.chaos_faults import ChaosPlan, Weather
from tests.support.cloud import Cloud
from tests.support.fault_proxy import FaultProxy
from tests.support.handler_processes import (
    ROOT,
    HandlerEndedError,
    HandlerFailedError,
    HandlerProcess,
    HandlerServer,
)
from tests.support.moto_server import moto_server

INGEST, COMMIT = ROOT / "functions" / "ingest" / "handler.py", ROOT / "functions" / "commit" / "handler.py"
READER = Path(__file__).with_name("chaos_reader.py")
REQUEST_SECONDS = 3
RESERVE_SECONDS = 2
# Enough for everything; or for one document only, after which the others must be given back.
_INVOCATION_SECONDS = (40.0, 40.0, 40.0, 40.0, RESERVE_SECONDS + 2 * LIMITS.parse_seconds + 1.0)


class Stage:
    """The server, the proxy and the process that forks handlers; they end with the block."""

    def __init__(self) -> None:
        self._ends = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as ends:
            self.url = ends.enter_context(moto_server())
            self.proxy = ends.enter_context(FaultProxy(self.url))
            self.server = ends.enter_context(HandlerServer())
            self._ends = ends.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.close()


def handler_environment(cloud: Cloud, **more: str) -> dict[str, str]:
    """The environment of every process of a run; `more` has what a run varies."""
    return cloud.environment | {
        "DOCSHELF_MODEL": "all-minilm-l6-v2",
        "DOCSHELF_OFFLINE": "1",
        "DOCSHELF_REQUEST_SECONDS": str(REQUEST_SECONDS),
        "DOCSHELF_RESERVE_SECONDS": str(RESERVE_SECONDS),
        "DOCSHELF_MAX_BYTES": str(LIMITS.max_bytes),
        "DOCSHELF_PARSE_SECONDS": str(LIMITS.parse_seconds),
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "AWS_EC2_METADATA_DISABLED": "true",
        **more,
    }


@dataclass
class Instance:
    """One place for a handler: its process, or the next one where that was killed, behind ports of its own."""

    stage: Stage
    handler: Path
    environment: Mapping[str, str]
    log: Path
    rng: random.Random
    weather: Weather | None = None
    _addresses: list[str] = field(default_factory=list)
    _process: HandlerProcess | None = None

    def __post_init__(self) -> None:
        if self.weather:
            name = self.handler.parent.name
            plans = [ChaosPlan(self.weather, random.Random(self.rng.random()), self.kill, name) for _ in range(2)]
            self._addresses = [self.stage.proxy.listen(plan) for plan in plans]
            s3, sqs = self._addresses
            self.environment = {**self.environment, "AWS_ENDPOINT_URL_S3": s3, "AWS_ENDPOINT_URL_SQS": sqs}

    def __call__(self, event: object) -> object:
        """Have the handler answer `event`; raises HandlerEndedError, HandlerFailedError."""
        if self._process is None:
            self._process = self.stage.server.start(self.handler, self.environment, self.log)
        seconds = self.rng.choice(_INVOCATION_SECONDS) if self.weather else _INVOCATION_SECONDS[0]
        try:
            return self._process.invoke(str(uuid.uuid4()), seconds, event)
        except HandlerEndedError:
            self._process.close()
            self._process = None
            raise

    def kill(self) -> None:
        """End the process; any thread may call it."""
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """End the process and close its ports; not during a call."""
        if self._process is not None:
            self._process.close()
        for address in self._addresses:
            self.stage.proxy.close(address)


def answered(instance: Callable[[object], object], event: object) -> dict[str, object]:
    """The answer of a handler that is not disturbed; what goes wrong raises RuntimeError with the words of it."""
    try:
        answer = instance(event)
    except (HandlerEndedError, HandlerFailedError) as error:
        raise RuntimeError(f"a process that nobody disturbed failed: {error}") from error
    if not isinstance(answer, dict):
        raise TypeError("the answer is no object")
    return answer
