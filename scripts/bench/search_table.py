"""What the search bench makes of its measurements: round trips of a request log, and tables."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Request:
    """A request that a server has seen: when it came (seconds since the epoch), what it was, bytes of its answer."""

    started: float
    operation: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Sample:
    """What one query cost. `gets` are all requests but listings; without latency, `round_trips` mean nothing."""

    query: str
    gets: int
    lists: int
    bytes: int
    round_trips: int
    ms: float
    cpu_ms: float


def round_trips(starts: Iterable[float], latency: float) -> int:
    """The longest chain of requests of which each started after the one before was answered; both in seconds.

    A request is answered `latency` after its start. A request may start late for other reasons than waiting for an
    answer, so this is the most that can depend on each other.
    """
    count, answered = 0, float("-inf")
    for start in sorted(starts):
        if start >= answered:
            count += 1
            answered = start + latency
    return count


def sample(
    query: str, requests: Sequence[Request], *, ended: float, latency: float, ms: float, cpu_ms: float
) -> Sample:
    """The cost of a query that had its answer at `ended` (seconds since the epoch).

    Requests that started later are counted, but the answer has not waited for them.
    """
    lists = sum(request.operation.startswith("List") for request in requests)
    waited_for = [request.started for request in requests if request.started <= ended]
    return Sample(
        query,
        len(requests) - lists,
        lists,
        sum(request.bytes for request in requests),
        round_trips(waited_for, latency),
        ms,
        cpu_ms,
    )


def headers(latencies: Iterable[int]) -> list[str]:
    """The titles of the columns that `cells` fills."""
    times = [f"ms at {latency} ms" for latency in sorted(latencies)]
    return ["GETs", "LISTs", "kB", "round trips", *times, "CPU ms"]


def cells(samples: Mapping[int, Sequence[Sample]]) -> list[str]:
    """One row: what a kind of query cost, from samples by latency in ms.

    Requests and round trips are the most that any query took, at the longest latency; the rest are medians.
    """
    longest = samples[max(samples)]
    everything = [one for each in samples.values() for one in each]
    return [
        str(max(one.gets for one in longest)),
        str(max(one.lists for one in longest)),
        number(statistics.median(one.bytes for one in longest) / 1000),
        str(max(one.round_trips for one in longest)) if max(samples) else NOTHING,
        *(number(statistics.median(one.ms for one in samples[latency])) for latency in sorted(samples)),
        number(statistics.median(one.cpu_ms for one in everything)),
    ]


def number(value: float) -> str:
    """`value` with a decimal where it is small."""
    return f"{value:.1f}" if 0 < value < 9.95 else f"{value:,.0f}"


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], texts: int) -> str:
    """A Markdown table that is aligned as text too; the first `texts` columns to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]

    def line(values: Sequence[str]) -> str:
        padded = (
            value.ljust(width) if place < texts else value.rjust(width)
            for place, (value, width) in enumerate(zip(values, widths, strict=True))
        )
        return f"| {' | '.join(padded)} |"

    rule = "|".join(
        "-" * (width + 2) if place < texts else f"{'-' * (width + 1)}:" for place, width in enumerate(widths)
    )
    return "\n".join([line(titles), f"|{rule}|", *map(line, rows)])
