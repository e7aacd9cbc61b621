"""Count and time the S3 requests of searching: `scripts/bench/search --minis3 PATH`.

`PATH` is an S3 server as in `scripts/bench/commit`, which also answers `GET /__stats?log=1` with its requests: `t` (in
seconds since the epoch, when it came), `op`, `bytes_down`. A row of the table is a kind of query, asked in processes
that have just started; below are the memory of these processes, and what a request costs besides searching.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from docshelf.index.pointer import read_pointer

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.bench.commit import ask, s3_server
from scripts.bench.search_data import CHUNKS_A_DOCUMENT, Dataset, upload
from scripts.bench.search_table import Sample, cells, headers, number, table
from scripts.bench.search_ways import WAYS, Job

ROOT = Path(__file__).resolve().parents[2]
CHILD_SECONDS = 300.0
_MOMENTS = {"imports": "after imports", "model": "with the model", "end": "at the end"}


class Samples:
    """What was measured: samples by row (dataset, way, kind of query) and latency, memory by dataset and way."""

    def __init__(self) -> None:
        self.queries: dict[tuple[str, str, str], dict[int, list[Sample]]] = {}
        self.memory: dict[tuple[str, str], list[dict[str, dict[str, float]]]] = {}

    def add(self, dataset: Dataset, job: Job, result: dict[str, Any]) -> None:
        """Add what a process wrote down."""
        for values in result["samples"]:
            one = Sample(**values)
            row = self.queries.setdefault((dataset.label, job.way, one.query), {})
            row.setdefault(job.latency_ms, []).append(one)
        if not job.in_steps:
            self.memory.setdefault((dataset.label, job.way), []).append(result["memory"])

    def tables(self, latencies: list[int]) -> Iterator[str]:
        """The tables of queries and of memory."""
        yield table(
            ["chunks", "searched by", "query", *headers(latencies)],
            [[*row, *cells(samples)] for row, samples in self.queries.items()],
            texts=3,
        )
        if all(stages["end"] for each in self.memory.values() for stages in each):
            yield table(
                ["chunks", "searched by", *(f"MB {moment}" for moment in _MOMENTS.values()), "MB at most"],
                [[*row, *_megabytes(stages)] for row, stages in self.memory.items()],
                texts=2,
            )


def _megabytes(processes: list[dict[str, dict[str, float]]]) -> list[str]:
    """The most of all processes."""
    moments = [max(stages[moment]["now"] for stages in processes) for moment in _MOMENTS]
    return [number(value) for value in (*moments, max(stages["end"]["most"] for stages in processes))]


def child(module: str, result: Path, *arguments: str) -> Any:
    """What a process of this module wrote to `result`; one that takes too long is killed, and the bench ends."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers")])
    command = [sys.executable, "-P", "-m", f"scripts.bench.{module}", *arguments]
    subprocess.run(
        command, env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.DEVNULL, timeout=CHILD_SECONDS, check=True
    )
    return json.loads(result.read_text())


def measure(options: argparse.Namespace, server: str, work: Path) -> Samples:
    """Run all processes, for one dataset and latency after another."""
    samples = Samples()
    datasets = [Dataset(size) for size in options.sizes]
    datasets += [Dataset(options.commits_at, commits) for commits in options.commits]
    for dataset in datasets:
        directory = dataset.made(options.keep or work)
        ask(f"{server}/__config?latency_ms=0")
        ask(f"{server}/__reset?objects=1")
        upload(directory, server)
        job = Job(
            server=server,
            latency_ms=0,
            way="",
            in_steps=False,
            queries=options.queries,
            limit=options.limit,
            seed=0,
            generation=read_pointer(directory, "make it anew").generation,
            model=None if options.model == "none" else options.model,
            result=str(work / "result.json"),
        )
        for each in jobs(job, options):
            ask(f"{server}/__config?latency_ms={each.latency_ms}")
            samples.add(dataset, each, child("search_worker", Path(each.result), json.dumps(asdict(each))))
    return samples


def jobs(job: Job, options: argparse.Namespace) -> Iterator[Job]:
    """The processes for one dataset, in the order of the table's rows."""
    for way in WAYS:
        for in_steps in (True, False):
            for latency in options.latencies:
                for seed in range(options.processes):
                    yield replace(job, way=way, in_steps=in_steps, latency_ms=latency, seed=seed)


def overhead(work: Path) -> str:
    """The table of what a request costs besides searching."""
    found = child("search_overhead", work / "overhead.json", str(work / "overhead.json"))
    rows = [[protocol, number(cost["cpu_ms"]), number(cost["ms"])] for protocol, cost in found.items()]
    return table(["a request without its search, protocol", "CPU ms", "ms"], rows, texts=1)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let the blocks around clean up where the bench is told to end."""
    for number_ in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number_, lambda got, _frame: sys.exit(128 + got))
    yield


def main() -> None:
    parser = argparse.ArgumentParser(description="Count and time the S3 requests of searching.")
    parser.add_argument("--minis3", type=Path, required=True, help="the S3 server's program")
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 10_000, 100_000], help="chunks")
    parser.add_argument(
        "--commits", type=int, nargs="*", default=[1, 500], help="commits of one document, not maintained"
    )
    parser.add_argument("--commits-at", type=int, default=10_000, help="chunks that they are added to")
    parser.add_argument("--latencies", type=int, nargs="+", default=[0, 20], help="what each request takes, in ms")
    parser.add_argument("--queries", type=int, default=12, help="new queries that each process asks")
    parser.add_argument("--processes", type=int, default=3, help="processes for each way and latency")
    parser.add_argument("--limit", type=int, default=5, help="passages of an answer")
    parser.add_argument("--model", default="auto", help="what is loaded for its memory: as ever, or none")
    parser.add_argument("--keep", type=Path, help="a directory to keep the indexes in; they are made anew without it")
    options = parser.parse_args()
    start = time.monotonic()
    with ended_by_signals(), tempfile.TemporaryDirectory() as work, s3_server(options.minis3) as server:
        print(f"{CHUNKS_A_DOCUMENT} chunks a document, {options.limit} passages an answer", flush=True)
        for each in measure(options, server, Path(work)).tables(options.latencies):
            print(f"\n{each}", flush=True)
        print(f"\n{overhead(Path(work))}\n\n{time.monotonic() - start:.0f} s in all")


if __name__ == "__main__":
    main()
