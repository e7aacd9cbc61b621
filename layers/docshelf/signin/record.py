"""The one line that the log has of a request, and its metrics; nothing in them is a name, a code or a token."""

from __future__ import annotations

from dataclasses import dataclass

from docshelf.observability import Metric, emit
from docshelf.request_record import BaseRecord
from docshelf.signin.answers import Answer

_DIMENSION = "signin"


@dataclass(slots=True, kw_only=True)
class RequestRecord(BaseRecord):
    """A request that came to the route `name`."""

    name: str

    def write(self, answer: Answer) -> None:
        """Write the line and the metrics."""
        milliseconds = self.milliseconds()
        status = answer.response.status
        self.log(self.name, status, milliseconds, {"error": answer.error, "reason": answer.reason})
        refused = int(answer.error is not None and status < 500)
        # By a dimension, so that they are not added to those of the search function.
        emit({**self.counts(status, milliseconds), Metric.REFUSALS: refused}, Function=_DIMENSION)
        if answer.counted is not None:
            emit({answer.counted: 1})
