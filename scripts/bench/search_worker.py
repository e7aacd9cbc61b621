"""A process of the search bench: opens an index in a bucket, asks it queries, and writes down what each one cost.

Started by `search.py` with a job as JSON. The requests are counted by the server's log; its control requests cost
nothing and are not in it.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import docshelf.serving.function  # noqa: F401  what the function imports belongs to its memory
from docshelf.serving.models import QueryModels
from scripts.bench.search_data import StandInModel, UnitMaker, asking
from scripts.bench.search_table import Request, Sample, sample
from scripts.bench.search_ways import WAYS, Job, Way

TOGETHER, FIRST = "cold, all at once", "cold: first query"
NEW, REPEATED, AFTER_PAUSE = "new", "repeated", "new, after a minute"


class Meter:
    """Measures one action after another."""

    def __init__(self, job: Job) -> None:
        self._server = job.server
        self._latency = job.latency_ms / 1000
        self.samples: list[Sample] = []

    def measure(self, name: str, action: Callable[[], object]) -> None:
        """Note what `action` costs."""
        self._ask("POST", "__reset")
        cpu, start = time.process_time(), time.perf_counter()
        action()
        ms, cpu_ms = (time.perf_counter() - start) * 1000, (time.process_time() - cpu) * 1000
        ended = time.time()
        time.sleep(2 * self._latency + 0.03)  # a request that nobody waits for is logged when it is answered
        found = [
            Request(each["t"], each["op"], each["bytes_down"]) for each in self._ask("GET", "__stats?log=1")["log"]
        ]
        self.samples.append(sample(name, found, ended=ended, latency=self._latency, ms=ms, cpu_ms=cpu_ms))

    def _ask(self, method: str, path: str) -> Any:
        request = urllib.request.Request(f"{self._server}/{path}", method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


def memory() -> dict[str, float]:
    """The megabytes that this process has in memory, and the most that it had; nothing where Linux does not say."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except FileNotFoundError:
        return {}
    found = dict(line.split(":", 1) for line in lines)
    return {name: int(found[field].split()[0]) / 1000 for name, field in (("now", "VmRSS"), ("most", "VmHWM"))}


def run(job: Job) -> dict[str, object]:
    """Do the job; the samples, and the memory at the beginning, with the model and at the end."""
    stages = {"imports": memory()}
    models = QueryModels(job.model, "") if job.model else None
    stages["model"] = memory()
    maker = UnitMaker(seed=1000 + job.seed)
    query, meter, way = asking(maker), Meter(job), WAYS[job.way](job, StandInModel(maker))
    if job.in_steps:
        for name, step in way.steps().items():
            meter.measure(name, step)
        meter.measure(FIRST, partial(way.search, query()))
    else:
        meter.measure(TOGETHER, partial(way.search, query()))
        ask_on(way, query, meter, job)
    stages["end"] = memory()
    if models:
        models.close()
    return {"samples": [asdict(each) for each in meter.samples], "memory": stages}


def ask_on(way: Way, query: Callable[[], str], meter: Meter, job: Job) -> None:
    """Ask what a warm instance is asked."""
    for _ in range(job.queries):
        text = query()
        meter.measure(NEW, partial(way.search, text))
        meter.measure(REPEATED, partial(way.search, text))
    for _ in range(max(1, job.queries // 3)):
        if way.pause():
            meter.measure(AFTER_PAUSE, partial(way.search, query()))


if __name__ == "__main__":
    given = Job(**json.loads(sys.argv[1]))
    Path(given.result).write_text(json.dumps(run(given)))
