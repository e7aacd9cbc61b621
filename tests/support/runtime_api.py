"""The interface that Lambda offers to a runtime: events in, outcomes out, and the moment of a snapshot between."""

from __future__ import annotations

import queue
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_VERSION = "/2018-06-01"


@dataclass(frozen=True, slots=True)
class Invocation:
    """An event for the runtime; `deadline` in seconds of Unix time."""

    request_id: str
    event: bytes
    deadline: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the runtime reported: of an invocation, or of its own start or restore where `request_id` is empty."""

    request_id: str
    failed: bool
    body: bytes


@dataclass(frozen=True)
class Exchange:
    """What the runtime gets and reports. `snapshot` is set when it waits to be restored, `restored` lets it go on."""

    arn: str
    events: queue.Queue[Invocation | None] = field(default_factory=queue.Queue)
    outcomes: queue.Queue[Outcome] = field(default_factory=queue.Queue)
    snapshot: threading.Event = field(default_factory=threading.Event)
    restored: threading.Event = field(default_factory=threading.Event)

    def close(self) -> None:
        """Let go whoever waits."""
        self.events.put(None)
        self.restored.set()


class RuntimeApi(ThreadingHTTPServer):
    """A server of the interface, at a port of this machine."""

    daemon_threads = True

    def __init__(self, exchange: Exchange) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.exchange = exchange

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a process that was ended while it waited here."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: RuntimeApi
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body are written one after the other

    def do_GET(self) -> None:
        match self.path.removeprefix(f"{_VERSION}/runtime/"):
            case "invocation/next":
                self._next()
            case "restore/next":
                self.server.exchange.snapshot.set()
                self.server.exchange.restored.wait()
                self._answer(200)
            case _:
                self.send_error(404)

    def do_POST(self) -> None:
        body = self._body()
        match self.path.removeprefix(f"{_VERSION}/runtime/").split("/"):
            case ["invocation", request_id, "response" | "error" as outcome]:
                self.server.exchange.outcomes.put(Outcome(request_id, outcome == "error", body))
            case ["init" | "restore", "error"]:
                self.server.exchange.outcomes.put(Outcome("", True, body))
            case _:
                self.send_error(404)
                return
        self._answer(202)

    def _next(self) -> None:
        invocation = self.server.exchange.events.get()
        if invocation is None:
            self.close_connection = True
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(invocation.event)))
        self.send_header("Lambda-Runtime-Aws-Request-Id", invocation.request_id)
        self.send_header("Lambda-Runtime-Deadline-Ms", str(int(invocation.deadline * 1000)))
        self.send_header("Lambda-Runtime-Invoked-Function-Arn", self.server.exchange.arn)
        self.end_headers()
        self.wfile.write(invocation.event)

    def _answer(self, status: int) -> None:
        self.send_response(status)
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
