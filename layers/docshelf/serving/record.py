"""The one line that the log has of a request, and its metrics; nothing in them was asked, found or signed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from docshelf.gateway.messages import HttpRequest
from docshelf.index.traffic import Traffic, traffic
from docshelf.mcp_server.reports import CallReport
from docshelf.observability import Metric, emit, logger
from docshelf.serving.answers import Answer
from docshelf.serving.doors import HEALTH_PATH, MCP_PATHS
from docshelf.serving.message import OTHER, MessageFacts

_HTTP_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


@dataclass(slots=True)
class RequestRecord:
    """Gathers what is known of a request while it is answered; `cold` marks the first one of an instance."""

    request: HttpRequest
    cold: bool
    clock: Callable[[], float] = time.monotonic
    message: MessageFacts = field(default_factory=MessageFacts)
    caller: str | None = None
    call: CallReport | None = None
    index_version: str | None = None
    started: float = field(init=False)
    traffic: Traffic = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.clock()
        self.traffic = traffic()

    def called(self, report: CallReport) -> None:
        """Note a tool call that was answered."""
        self.call = report

    def elapsed(self) -> float:
        """Seconds since the request came."""
        return self.clock() - self.started

    def write(self, answer: Answer) -> None:
        """Write the line and the metrics."""
        milliseconds = round(self.elapsed() * 1000, 1)
        status = answer.response.status
        call = self.call
        caused = traffic().since(self.traffic)
        known = {
            "path": self._path(),
            "http_method": self.request.method if self.request.method in _HTTP_METHODS else OTHER,
            "status": status,
            "error": answer.code or (call.error_code if call else None),
            "reason": answer.reason,
            "rpc_method": self.message.method,
            "protocol": self.message.version,
            "client": self.message.client,
            "caller": self.caller,
            "tool": call.tool if call else None,
            "hits": call.hits if call else None,
            "tokens": call.tokens if call else None,
            "index_version": self.index_version,
            "s3_requests": caused.requests,
            "s3_bytes": caused.bytes,
            "duration_ms": milliseconds,
            "cold": self.cold,
            "request_id": self.request.request_id,
        }
        logger.info("request", extra={name: value for name, value in known.items() if value is not None})
        self._emit(status, milliseconds)

    def _emit(self, status: int, milliseconds: float) -> None:
        emit(
            {
                Metric.REQUESTS: 1,
                Metric.ERRORS: int(status >= 500),
                Metric.UNAUTHORIZED: int(status in (401, 403)),
                Metric.COLD_STARTS: int(self.cold),
                Metric.DURATION: milliseconds,
            }
        )
        if self.call:
            values: dict[Metric, float] = {
                Metric.CALLS: 1,
                Metric.FAILED_CALLS: int(self.call.is_error),
                Metric.CALL_DURATION: round(self.call.seconds * 1000, 1),
            }
            if self.call.hits is not None:
                values[Metric.HITS] = self.call.hits
            emit(values, Tool=self.call.tool)

    def _path(self) -> str:
        if self.request.path in MCP_PATHS:
            return "mcp"
        return "health" if self.request.path == HEALTH_PATH else OTHER
