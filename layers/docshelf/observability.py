"""Logs and metrics of the functions: JSON lines, and CloudWatch's embedded metric format, on stdout.

Logs name keys, states and counts; never text of documents, tokens or credentials. `POWERTOOLS_SERVICE_NAME` names the
environment in both, `POWERTOOLS_LOG_LEVEL` sets the level.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from enum import StrEnum

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

NAMESPACE = "docshelf"

logger = Logger(use_rfc3339=True, utc=True)


class Metric(StrEnum):
    """Every metric that the functions emit; docs/operations.md says what each tells."""

    PREPARED = "PreparedDocuments"
    RETURNED = "ReturnedMessages"
    COMMITTED = "CommittedDocuments"
    REMOVED = "RemovedDocuments"
    MOVED = "MovedDocuments"
    OTHER_WRITERS = "OtherWriters"
    DEAD_LETTERS = "DeadLetters"
    FAILED_CHORES = "FailedChores"
    DOCUMENTS = "Documents"
    DIFFERENCES = "SweepDifferences"
    POSTPONED = "SweepPostponed"
    RECOGNISED_PAGES = "RecognisedPages"
    OLDEST_CHANGE = "OldestUnprocessedChange"
    CHUNKS = "Chunks"
    FRAGMENTS = "Fragments"
    VERSIONS = "Versions"
    BYTES = "IndexBytes"
    UNINDEXED = "UnindexedChunks"
    REQUESTS = "Requests"
    ERRORS = "Errors"
    UNAUTHORIZED = "Unauthorized"
    COLD_STARTS = "ColdStarts"
    DURATION = "Duration"
    CALLS = "Calls"
    FAILED_CALLS = "FailedCalls"
    CALL_DURATION = "CallDuration"
    HITS = "Hits"
    REFUSALS = "Refusals"
    REGISTRATIONS = "Registrations"
    SIGN_INS = "SignIns"
    REFRESHES = "Refreshes"


_UNITS = {
    Metric.OLDEST_CHANGE: MetricUnit.Seconds,
    Metric.BYTES: MetricUnit.Bytes,
    Metric.DURATION: MetricUnit.Milliseconds,
    Metric.CALL_DURATION: MetricUnit.Milliseconds,
}


def emit(values: Mapping[Metric, float], **dimensions: str) -> None:
    """Write `values` as one line, with the service's name and `dimensions`."""
    metrics = EphemeralMetrics(namespace=NAMESPACE)
    for name, value in dimensions.items():
        metrics.add_dimension(name, value)
    for metric, number in values.items():
        metrics.add_metric(metric.value, _UNITS.get(metric, MetricUnit.Count), number)
    metrics.flush_metrics()


class _PlaceOnly(logging.Handler):
    """Logs where a record comes from and the kind of its error, never its text."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        kind = record.exc_info[0].__qualname__ if record.exc_info and record.exc_info[0] else None
        logger.warning("A library reported a problem.", place=f"{record.name}:{record.lineno}", kind=kind)


def quiet_libraries() -> None:
    """Keep what the MCP library says out of the log but for the place: its lines quote what clients sent."""
    library = logging.getLogger("mcp")
    if not any(isinstance(handler, _PlaceOnly) for handler in library.handlers):
        library.addHandler(_PlaceOnly(logging.WARNING))
    library.propagate = False
    # At DEBUG, which a function can be set to from outside, it would write whole requests to S3 with their signatures.
    logging.getLogger("botocore").setLevel(logging.INFO)
