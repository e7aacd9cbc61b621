"""How many requests LanceDB has sent to object storage, and how many bytes they carried."""

from __future__ import annotations

from dataclasses import dataclass

from lancedb._lancedb import register_lancedb_metrics_recorder, snapshot_lancedb_metrics

_REQUESTS = "lance_object_store_requests_total"
_BYTES = "lance_object_store_request_bytes_total"


@dataclass(frozen=True, slots=True)
class Traffic:
    """Requests of every kind and bytes up and down, in this process, since counting began."""

    requests: int
    bytes: int

    def since(self, earlier: Traffic) -> Traffic:
        """What came on top of `earlier`."""
        return Traffic(self.requests - earlier.requests, self.bytes - earlier.bytes)


def count_traffic() -> bool:
    """Count from now on; False where something else in this process counts already, so that nothing is known."""
    return bool(register_lancedb_metrics_recorder())


def traffic() -> Traffic:
    """The counts so far; takes microseconds."""
    totals = {_REQUESTS: 0.0, _BYTES: 0.0}
    for point in snapshot_lancedb_metrics():
        if point.name in totals:
            totals[point.name] += point.value or 0
    return Traffic(int(totals[_REQUESTS]), int(totals[_BYTES]))
