"""The one line that the log has of a request, and its metrics; nothing in them was asked, found or signed."""

from __future__ import annotations

from dataclasses import dataclass, field

from docshelf.index.traffic import Traffic, traffic
from docshelf.mcp_server.reports import CallReport
from docshelf.observability import Metric, emit
from docshelf.request_record import OTHER, BaseRecord
from docshelf.serving.answers import Answer
from docshelf.serving.doors import HEALTH_PATH, MCP_PATHS
from docshelf.serving.message import MessageFacts


@dataclass(slots=True, kw_only=True)
class RequestRecord(BaseRecord):
    """Gathers what is known of a request while it is answered."""

    message: MessageFacts = field(default_factory=MessageFacts)
    caller: str | None = None
    call: CallReport | None = None
    index_version: str | None = None
    traffic: Traffic = field(default_factory=traffic)

    def called(self, report: CallReport) -> None:
        """Note a tool call that was answered."""
        self.call = report

    def write(self, answer: Answer) -> None:
        """Write the line and the metrics."""
        milliseconds = self.milliseconds()
        status = answer.response.status
        call = self.call
        caused = traffic().since(self.traffic)
        known = {
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
        }
        self.log(self._path(), status, milliseconds, known)
        emit({**self.counts(status, milliseconds), Metric.UNAUTHORIZED: int(status in (401, 403))})
        self._emit_call()

    def _emit_call(self) -> None:
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
