"""Time the whole commit function against an S3 server with latency: `scripts/bench/lane --minis3 PATH`.

Real batches of ten messages, each with one prepared file: reading the files, the check of every object's version, both
commits, the clean-up. The server is that of `scripts/bench/commit`; no queue is used, as nothing moves on meanwhile.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import uuid
from dataclasses import replace
from pathlib import Path

from docshelf.aws.objects import ObjectStore
from docshelf.commit.lane import Lane
from docshelf.index.prepared_file import prepared_file_bytes
from docshelf.index.records import PreparedDocument
from docshelf.messages import Prepared, to_body
from docshelf.settings import CloudSettings, Limits
from docshelf.sources.bucket import BucketSource

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.bench.commit import PLACE, Bench, ask, s3_server

BUCKET = "documents"
MESSAGES = 10
BATCHES = 8
NO_QUEUE = "http://127.0.0.1:9/none"


class LaneBench(Bench):
    """Objects in a bucket, prepared files for them, and the events that name these."""

    def __init__(self, url: str, rows: int, chunks: int, latency_ms: int) -> None:
        super().__init__(url, rows, chunks, latency_ms)
        self.objects, self.prepared = ObjectStore(BUCKET), ObjectStore.from_uri(PLACE)
        settings = CloudSettings(BUCKET, PLACE, NO_QUEUE, NO_QUEUE)
        self.lane = Lane(settings, Limits())
        self.source = BucketSource(self.objects)

    def entry(self, number: int) -> tuple[str, str | None, PreparedDocument]:
        """Upload a document and prepare it, as ingest would."""
        made = self.maker.document(number, self.chunks)
        key = made.record.source
        self.objects.put(key, f"{key} {time.time_ns()}".encode())
        held = self.source.stat(key)
        assert held is not None
        assert held.version is not None
        record = replace(made.record, version=held.version)
        chunks = tuple(replace(chunk, version=held.version) for chunk in made.chunks)
        return key, held.version, PreparedDocument(record, chunks)

    def event(self, kind: str, documents: int) -> dict[str, object]:
        """A batch of messages with `documents` in each file."""
        count = MESSAGES * documents
        if kind == "new":
            numbers = list(range(self.documents, self.documents + count))
            self.documents += count
        else:
            numbers = self.random.sample(range(self.documents), count)
        records = []
        for first in range(0, count, documents):
            entries = [self.entry(number) for number in numbers[first : first + documents]]
            name = f"prepared/{uuid.uuid4().hex}.arrow"
            self.prepared.put(name, prepared_file_bytes(self.identity, entries))
            message = Prepared(name, tuple(key for key, _, _ in entries), documents * self.chunks)
            body = json.dumps(to_body(message))
            records.append({"messageId": name, "body": body, "attributes": {"ApproximateReceiveCount": "1"}})
        return {"Records": records}

    def time_batches(self, kind: str, documents: int, latency_ms: int) -> None:
        """Print the median of some batches, the first of which warms the caches."""
        times: list[float] = []
        for _ in range(BATCHES):
            ask(f"{self.url}/__config?latency_ms=0")
            event = self.event(kind, documents)
            ask(f"{self.url}/__config?latency_ms={latency_ms}")
            start = time.perf_counter()
            answer = self.lane.handle(event, lambda: 900.0)
            times.append(time.perf_counter() - start)
            assert answer == {"batchItemFailures": []}
        middle = statistics.median(times[1:])
        total = MESSAGES * documents
        what = f"{MESSAGES} messages of {documents:2} {kind:7} documents"
        print(f"  {what}: {middle * 1000:5.0f} ms, {total / middle:4.0f} documents/s")


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the whole commit function.")
    parser.add_argument("--minis3", type=Path, required=True, help="the S3 server's program")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--chunks", type=int, default=2, help="chunks of a document")
    parser.add_argument("--latency-ms", type=int, default=20)
    options = parser.parse_args()
    with s3_server(options.minis3) as url:
        bench = LaneBench(url, options.rows, options.chunks, options.latency_ms)
        print(f"{options.rows} rows, {options.chunks} chunks a document, {options.latency_ms} ms of latency")
        for documents in (1, 5, 10):
            for kind in ("new", "changed"):
                bench.time_batches(kind, documents, options.latency_ms)


if __name__ == "__main__":
    main()
