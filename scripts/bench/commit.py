"""Time the commits of the lane against an S3 server with latency: `scripts/bench/commit --minis3 PATH`.

`PATH` is a small S3 server that takes `--port 0`, prints its address as the last word of its first line, and answers
`POST /__config?latency_ms=N`, `POST /__reset` and `GET /__stats`. A batch is what the lane does for the documents of
its messages: see the latest commits, ask for the stored versions, replace.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docshelf.index.identity import IndexIdentity
from docshelf.index.row_checks import prepared_rows
from docshelf.index.rows import PreparedRows
from docshelf.index.store import Index

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.bench.index import Maker

DIMENSION = 384
LOAD_DOCUMENTS = 500
PLACE = "s3://bench/index"
BATCHES = 8


@contextmanager
def s3_server(program: Path) -> Iterator[str]:
    """The address of a server that runs within the block; the environment leads to it."""
    command = [sys.executable, str(program), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[-1]
            os.environ |= {"AWS_ENDPOINT_URL": url, "AWS_REGION": "us-east-1"}
            os.environ |= {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing"}
            yield url
        finally:
            process.kill()


def ask(url: str, *, method: str = "POST") -> dict[str, int]:
    with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=30) as answer:
        found: dict[str, int] = json.load(answer)
    return found


class Bench:
    """An index of `rows` chunks and batches of made-up documents for it."""

    def __init__(self, url: str, rows: int, chunks: int, latency_ms: int) -> None:
        self.url = url
        self.chunks = chunks
        self.maker = Maker(DIMENSION)
        self.random = random.Random(1)
        self.identity = IndexIdentity("made-up", "0" * 64, "0" * 64, DIMENSION, "cls", "", "", 512, 256, "1", "1")
        ask(f"{url}/__config?latency_ms=0")
        ask(f"{url}/__reset?objects=1")
        self.index = Index.create(PLACE, self.identity)
        self.documents = rows // chunks
        for first in range(0, self.documents, LOAD_DOCUMENTS):
            numbers = range(first, min(first + LOAD_DOCUMENTS, self.documents))
            self.index.replace_rows([self.document(number) for number in numbers])
        self.index.maintain(force=True)
        ask(f"{url}/__config?latency_ms={latency_ms}")

    def document(self, number: int, chunks: int | None = None) -> PreparedRows:
        return prepared_rows(self.maker.document(number, chunks or self.chunks), self.identity)

    def batch(self, kind: str, size: int) -> list[PreparedRows]:
        if kind == "new":
            self.documents += size
            return [self.document(number) for number in range(self.documents - size, self.documents)]
        numbers = self.random.sample(range(self.documents), size)
        shrunk = max(1, self.chunks - 1) if kind == "shrinking" else self.chunks
        return [self.document(number, shrunk) for number in numbers]

    def commit(self, documents: list[PreparedRows], *, together: bool) -> None:
        self.index.refresh()
        stored = self.index.stored_versions([document.record.source for document in documents])
        result = self.index.replace_rows(documents, stored=stored, together=together)
        assert not result.met_another_writer

    def measure(self, kind: str, size: int, *, together: bool) -> None:
        """Print the median of some batches, the first of which warms the caches."""
        times: list[float] = []
        for _ in range(BATCHES):
            documents = self.batch(kind, size)
            ask(f"{self.url}/__reset")
            start = time.perf_counter()
            self.commit(documents, together=together)
            times.append(time.perf_counter() - start)
        requests = ask(f"{self.url}/__stats", method="GET")["requests"]
        middle = statistics.median(times[1:])
        how = "at once" if together else "in turn"
        print(
            f"  {size:4} {kind} documents, tables {how}: {middle * 1000:4.0f} ms, {size / middle:4.0f} documents/s, "
            f"{requests} requests in the last batch",
            flush=True,
        )
        self.index.maintain()


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the commits of the lane.")
    parser.add_argument("--minis3", type=Path, required=True, help="the S3 server's program")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--chunks", type=int, default=2, help="chunks of a document")
    parser.add_argument("--latency-ms", type=int, default=20)
    options = parser.parse_args()
    with s3_server(options.minis3) as url:
        bench = Bench(url, options.rows, options.chunks, options.latency_ms)
        print(f"{options.rows} rows, {options.chunks} chunks a document, {options.latency_ms} ms of latency")
        for size in (1, 10, 50, 100):
            for kind in ("new", "changed") if size != 50 else ("new", "changed", "shrinking"):
                for together in (False, True):
                    bench.measure(kind, size, together=together)


if __name__ == "__main__":
    main()
