"""What the functions that answer requests have in common in their log: one line a request, and its metrics."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from docshelf.gateway.messages import HttpRequest
from docshelf.observability import Metric, logger

OTHER = "other"
"""Stands for what a client made up, which may hold anything."""

_HTTP_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# The log names the place that calls a function of this module, not the function.
_CALLER = 3


@dataclass(slots=True, kw_only=True)
class BaseRecord:
    """A request that is being answered; `cold` marks the first one of an instance, `clock` counts seconds."""

    request: HttpRequest
    cold: bool
    clock: Callable[[], float] = time.monotonic
    started: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.clock()

    def elapsed(self) -> float:
        """Seconds since the request came."""
        return self.clock() - self.started

    def milliseconds(self) -> float:
        """Milliseconds since the request came, for people."""
        return round(self.elapsed() * 1000, 1)

    def log(self, path: str, status: int, milliseconds: float, known: Mapping[str, object]) -> None:
        """Write the line: what is `known` besides the request itself, without what is None."""
        line = {
            "path": path,
            "http_method": self.request.method if self.request.method in _HTTP_METHODS else OTHER,
            "status": status,
            **known,
            "duration_ms": milliseconds,
            "cold": self.cold,
            "request_id": self.request.request_id,
        }
        told = {name: value for name, value in line.items() if value is not None}
        logger.info("request", extra=told, stacklevel=_CALLER)

    def counts(self, status: int, milliseconds: float) -> dict[Metric, float]:
        """The metrics that every request has."""
        return {
            Metric.REQUESTS: 1,
            Metric.ERRORS: int(status >= 500),
            Metric.COLD_STARTS: int(self.cold),
            Metric.DURATION: milliseconds,
        }


def log_fault(error: BaseException, reference: str) -> None:
    """Log where `error` came from, without its message, which may hold a token or text of a document or a query."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    kind = type(error).__qualname__
    logger.error("A request ended with a fault.", reference=reference, kind=kind, frames=frames, stacklevel=_CALLER)
