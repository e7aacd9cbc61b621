"""Logs and metrics of the functions: JSON lines, and CloudWatch's embedded metric format, on stdout.

Logs name keys, states and counts; never text of documents, tokens or credentials. `POWERTOOLS_SERVICE_NAME` names the
environment in both, `POWERTOOLS_LOG_LEVEL` sets the level.
"""

from __future__ import annotations

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
    OLDEST_CHANGE = "OldestUnprocessedChange"
    CHUNKS = "Chunks"
    FRAGMENTS = "Fragments"
    VERSIONS = "Versions"
    BYTES = "IndexBytes"
    UNINDEXED = "UnindexedChunks"


_UNITS = {Metric.OLDEST_CHANGE: MetricUnit.Seconds, Metric.BYTES: MetricUnit.Bytes}


def emit(values: Mapping[Metric, float], **dimensions: str) -> None:
    """Write `values` as one line, with the service's name and `dimensions`."""
    metrics = EphemeralMetrics(namespace=NAMESPACE)
    for name, value in dimensions.items():
        metrics.add_dimension(name, value)
    for metric, number in values.items():
        metrics.add_metric(metric.value, _UNITS.get(metric, MetricUnit.Count), number)
    metrics.flush_metrics()
