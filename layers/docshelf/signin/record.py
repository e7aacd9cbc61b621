"""The one line that the log has of a request, and its metrics; nothing in them is a name, a code or a token."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from docshelf.gateway.messages import HttpRequest
from docshelf.observability import Metric, emit, logger
from docshelf.signin.answers import Answer
from docshelf.signin.router import OTHER

_HTTP_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_DIMENSION = "signin"


@dataclass(slots=True)
class RequestRecord:
    """A request that came to the route `name`; `cold` marks the first one of an instance."""

    request: HttpRequest
    name: str
    cold: bool
    clock: Callable[[], float] = time.monotonic
    started: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.clock()

    def write(self, answer: Answer) -> None:
        """Write the line and the metrics."""
        milliseconds = round((self.clock() - self.started) * 1000, 1)
        status = answer.response.status
        known = {
            "path": self.name,
            "http_method": self.request.method if self.request.method in _HTTP_METHODS else OTHER,
            "status": status,
            "error": answer.error,
            "reason": answer.reason,
            "duration_ms": milliseconds,
            "cold": self.cold,
            "request_id": self.request.request_id,
        }
        logger.info("request", extra={name: value for name, value in known.items() if value is not None})
        # By a dimension, so that they are not added to those of the search function.
        emit(
            {
                Metric.REQUESTS: 1,
                Metric.ERRORS: int(status >= 500),
                Metric.COLD_STARTS: int(self.cold),
                Metric.DURATION: milliseconds,
                Metric.REFUSALS: int(answer.error is not None and status < 500),
            },
            Function=_DIMENSION,
        )
        if answer.counted is not None:
            emit({answer.counted: 1})
