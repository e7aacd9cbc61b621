"""A process that has imported everything and forks off handler processes at the cost of milliseconds.

Usage: handler_server.py DESCRIPTOR, a Unix socket over which requests come. Each is a JSON object with `handler` (the
path of a file with `handler(event, context)`), `environment` and `log` (a file for the output), sent with the socket
that the handler process then serves. The answer is its process id.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import json
import os
import pkgutil
import signal
import socket
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import cast

Handler = Callable[[object, "Context"], object]

_PRELOADED = ("boto3", "pyarrow.compute", "aws_lambda_powertools.metrics", "aws_lambda_powertools.utilities.batch")
_MODEL = "all-minilm-l6-v2"
_LARGEST_REQUEST = 1 << 20
_ANY_CREDENTIALS = {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any", "AWS_DEFAULT_REGION": "us-east-1"}


@dataclass(frozen=True)
class Context:
    """What a handler is told about its invocation."""

    aws_request_id: str
    function_name: str
    deadline: float
    memory_limit_in_mb: int = 1769
    function_version: str = "1"
    log_group_name: str = "log-group"
    log_stream_name: str = "log-stream"

    @property
    def invoked_function_arn(self) -> str:
        """The function's address."""
        return f"arn:aws:lambda:us-east-1:123456789012:function:{self.function_name}"

    def get_remaining_time_in_millis(self) -> int:
        """How long the invocation may still take."""
        return max(0, int((self.deadline - time.monotonic()) * 1000))


def load_handler(path: Path) -> Handler:
    """The function `handler` of a file, imported as a function's task root is: with its directory first."""
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast("Handler", module.handler)


def serve(connection: Connection, handler: Handler, name: str) -> None:
    """Answer invocations, [request id, seconds, event], one after another until the other side closes."""
    while True:
        try:
            request_id, seconds, event = json.loads(connection.recv_bytes())
        except EOFError:
            return
        context = Context(request_id, name, time.monotonic() + seconds)
        try:
            answer = {"answer": handler(event, context)}
        except Exception:  # noqa: BLE001  any error is the invocation's answer, as in Lambda
            answer = {"error": traceback.format_exc()}
        connection.send_bytes(json.dumps(answer).encode())


def preload() -> None:
    """Import what handlers need, without starting anything that a fork would break."""
    import docshelf

    for module in pkgutil.walk_packages(docshelf.__path__, "docshelf."):
        if module.name.split(".")[1] not in {"commands", "local", "mcp_server"} and "worker" not in module.name:
            importlib.import_module(module.name)
    for name in _PRELOADED:
        importlib.import_module(name)
    import boto3

    os.environ.update(_ANY_CREDENTIALS)
    for service in ("s3", "sqs"):
        boto3.client(service)  # the session keeps what it read of the service
    _load_model()
    gc.collect()
    gc.freeze()


def _load_model() -> None:
    """Load the packaged model once for all handlers, as it would be in a snapshot that Lambda restores."""
    from docshelf.embedding import embedder
    from docshelf.ingest import embedders

    for module, name in ((embedders, "resolve_model"), (embedder, "TextTokenizer"), (embedder, "OnnxModel")):
        setattr(module, name, cache(getattr(module, name)))
    embedders.Embedders(_MODEL).close()


def _become_handler(request: Mapping[str, str | Mapping[str, str]], descriptor: int) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    environment, path = request["environment"], Path(str(request["handler"]))
    assert isinstance(environment, Mapping)
    os.environ.update(environment)
    log = os.open(str(request["log"]), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    connection = Connection(descriptor)
    serve(connection, load_handler(path), path.parent.name)


def main(descriptor: int) -> None:
    """Fork handler processes until the other side closes the socket."""
    preload()
    warnings.filterwarnings("ignore", message="lancedb fork support")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the handlers, so nothing may be left of them
    with socket.socket(fileno=descriptor) as control:
        control.sendall(b"ready\n")
        while True:
            data, descriptors, _, _ = socket.recv_fds(control, _LARGEST_REQUEST, 1)
            if not data:
                return
            child = os.fork()
            if child == 0:
                control.close()
                try:
                    _become_handler(json.loads(data), descriptors[0])
                except BaseException:  # noqa: BLE001  whatever it was: it is written down, and the process ends here
                    traceback.print_exc()
                finally:
                    sys.stdout.flush()
                    os._exit(0)
            os.close(descriptors[0])
            control.sendall(f"{child}\n".encode())


if __name__ == "__main__":
    main(int(sys.argv[1]))
