"""What the search bench makes of its measurements."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scripts.bench.search_table import Request, Sample, cells, headers, number, round_trips, sample, table

SECONDS = st.floats(0, 10, allow_nan=False)


def query(gets: int = 1, ms: float = 1.0, *, cpu_ms: float = 1.0, round_trips: int = 1, bytes_: int = 0) -> Sample:
    return Sample("new", gets, 2, bytes_, round_trips, ms, cpu_ms)


def test_requests_at_once_are_one_round_trip() -> None:
    assert round_trips([5.0, 5.0, 5.001, 5.019], 0.02) == 1


def test_a_request_after_an_answer_is_another_round_trip() -> None:
    assert round_trips([0.0, 0.02, 0.041], 0.02) == 3


def test_of_overlapping_chains_the_longest_counts() -> None:
    # Two chains of two and of three requests, which were started at different times.
    assert round_trips([0.000, 0.025, 0.005, 0.030, 0.055], 0.02) == 3


def test_without_requests_there_is_no_round_trip() -> None:
    assert round_trips([], 0.02) == 0


@given(starts=st.lists(SECONDS, max_size=8), latency=st.floats(0.001, 2))
def test_round_trips_are_the_longest_chain_that_there_is(starts: list[float], latency: float) -> None:
    ordered = sorted(starts)
    longest: list[int] = []
    for place, start in enumerate(ordered):
        before = [longest[other] for other in range(place) if ordered[other] + latency <= start]
        longest.append(1 + max(before, default=0))
    assert round_trips(starts, latency) == max(longest, default=0)


def test_listings_are_told_from_other_requests_and_bytes_are_those_of_all() -> None:
    log = [Request(1.0, "ListObjectsV2", 10), Request(1.0, "GetObject", 200), Request(1.03, "HeadObject", 0)]
    found = sample("new", log, ended=1.06, latency=0.02, ms=60.0, cpu_ms=3.0)
    assert found == Sample("new", gets=2, lists=1, bytes=210, round_trips=2, ms=60.0, cpu_ms=3.0)


def test_an_answer_has_not_waited_for_requests_that_started_after_it() -> None:
    log = [Request(1.0, "GetObject", 1), Request(1.1, "GetObject", 1)]
    found = sample("new", log, ended=1.05, latency=0.02, ms=50.0, cpu_ms=3.0)
    assert (found.gets, found.round_trips) == (2, 1)


def test_a_row_has_the_most_requests_at_the_longest_latency_and_median_times_of_each() -> None:
    fast = [query(90, 1.0, cpu_ms=1.0), query(90, 3.0, cpu_ms=3.0), query(90, 2.0, cpu_ms=2.0)]
    slow = [query(8, 41.0, round_trips=3, bytes_=2_000), query(9, 44.0, bytes_=4_000), query(7, 90.0, bytes_=90_000)]
    row = dict(zip(headers([20, 0]), cells({20: slow, 0: fast}), strict=True))
    assert row == {
        "GETs": "9",
        "LISTs": "2",
        "kB": "4.0",
        "round trips": "3",
        "ms at 0 ms": "2.0",
        "ms at 20 ms": "44",
        "CPU ms": "1.0",
    }


def test_without_latency_round_trips_are_not_told() -> None:
    row = dict(zip(headers([0]), cells({0: [query(round_trips=7)]}), strict=True))
    assert row["round trips"] == "–"


def test_small_numbers_have_a_decimal_and_large_ones_commas() -> None:
    assert [number(value) for value in (0, 0.04, 9.94, 9.95, 12.6, 21_500)] == ["0", "0.0", "9.9", "10", "13", "21,500"]


def test_a_table_is_markdown_with_aligned_columns() -> None:
    assert table(["what", "ms"], [["new", "41"], ["repeated", "9.0"]], texts=1).split("\n") == [
        "| what     |  ms |",
        "|----------|----:|",
        "| new      |  41 |",
        "| repeated | 9.0 |",
    ]


def test_a_table_without_rows_has_its_titles() -> None:
    assert table(["what", "ms"], [], texts=1).split("\n") == ["| what | ms |", "|------|---:|"]
