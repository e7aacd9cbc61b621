"""Time replacing and searching in a local index of made-up text: `python scripts/bench/index.py [ROWS] [DIMENSION]`."""

from __future__ import annotations

import hashlib
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from docshelf.index.filters import Filters
from docshelf.index.identity import IndexIdentity
from docshelf.index.records import ChunkRecord, DocumentRecord, PreparedDocument
from docshelf.index.search_text import search_text
from docshelf.index.store import Index
from docshelf.states import State

CHUNKS_A_DOCUMENT = 13
DOCUMENTS_A_BATCH = 100
WORDS_A_CHUNK = 150
REPEATS = 15


class Maker:
    """Makes documents of words with a Zipf-like frequency and clustered random vectors."""

    def __init__(self, dimension: int) -> None:
        self.random = np.random.default_rng(1)
        letters = random.Random(1)
        self.words = [
            "".join(letters.choices("abcdefghijklmnopqrstuvwxyz", k=letters.randint(3, 9))) for _ in range(20_000)
        ]
        weights = 1 / np.arange(1, len(self.words) + 1)
        self.weights = weights / weights.sum()
        self.centres = self.random.normal(size=(500, dimension)).astype(np.float32)

    def text(self, words: int) -> str:
        return " ".join(self.words[place] for place in self.random.choice(len(self.words), words, p=self.weights))

    def vector(self) -> NDArray[np.float32]:
        centre = self.centres[self.random.integers(len(self.centres))]
        vector: NDArray[np.float32] = (centre + self.random.normal(size=centre.shape) * 0.6).astype(np.float32)
        return vector

    def document(self, number: int, chunks: int = CHUNKS_A_DOCUMENT) -> PreparedDocument:
        source, now = f"folder{number % 30}/page{number}.md", datetime.now(UTC)
        texts = [self.text(WORDS_A_CHUNK) for _ in range(chunks)]
        made = [
            ChunkRecord(
                source,
                source.split("/")[0],
                ordinal,
                "A title",
                ("Part", "Section"),
                None,
                None,
                ordinal * 9 + 1,
                ordinal * 9 + 9,
                "source",
                text,
                "",
                "",
                "1",
                now,
                now,
                source,
                search_text("A title", ("Part",), source, text),
                hashlib.sha256(text.encode()).hexdigest(),
                self.vector(),
            )
            for ordinal, text in enumerate(texts)
        ]
        record = DocumentRecord(
            source,
            source,
            source.split("/")[0],
            State.INDEXED,
            None,
            False,
            "1",
            "0" * 64,
            "A title",
            "text/markdown",
            None,
            chunks,
            sum(map(len, texts)),
            sum(map(len, texts)),
            "source",
            1,
            now,
            now,
        )
        return PreparedDocument(record, tuple(made))


def timed(label: str, action: Callable[[], object]) -> None:
    action()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        action()
        times.append((time.perf_counter() - start) * 1000)
    print(f"  {label}: median {statistics.median(times):.1f} ms, longest {max(times):.1f} ms", flush=True)


def searches(index: Index, make: Maker) -> None:
    some = Filters(collections=("folder3",), path_prefix="folder3/page1")
    timed("vector, 50 candidates", lambda: index.vector_candidates(make.vector(), 50))
    timed("vector, filtered", lambda: index.vector_candidates(make.vector(), 50, some))
    timed("text, 6 words, 50 candidates", lambda: index.text_candidates(make.text(6), 50))
    timed("text, filtered", lambda: index.text_candidates(make.text(6), 50, some))
    timed("phrase, 2 words", lambda: index.phrase_candidates(make.text(2), 50))
    timed("refresh", index.refresh)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 36_000
    dimension = int(sys.argv[2]) if len(sys.argv) > 2 else 384
    make = Maker(dimension)
    identity = IndexIdentity("made-up", "0" * 64, "0" * 64, dimension, "cls", "", "", 512, 256, "1", "1")
    with tempfile.TemporaryDirectory() as directory:
        index = Index.create(Path(directory), identity)
        writing = maintaining = 0.0
        total = rows // CHUNKS_A_DOCUMENT
        for first in range(0, total, DOCUMENTS_A_BATCH):
            batch = [make.document(number) for number in range(first, min(first + DOCUMENTS_A_BATCH, total))]
            start = time.perf_counter()
            index.replace(batch)
            middle = time.perf_counter()
            index.maintain()
            writing += middle - start
            maintaining += time.perf_counter() - middle
        print(f"{total} documents, {rows} chunks: replace {writing:.1f} s, maintain {maintaining:.1f} s in all")
        print(f"  {index.size_bytes() / 1e6:.0f} MB before the last maintenance")
        timed("maintain, nothing to do", index.maintain)
        searches(index, make)
        timed("replace 1 document", lambda: index.replace([make.document(7)]))
        timed("replace 10 documents", lambda: index.replace([make.document(n) for n in range(10)]))
        timed("chunks of 1 document", lambda: index.chunks_of("folder7/page7.md"))
        timed("list 100 documents", lambda: index.documents(Filters(), after="folder2"))
        timed("collections", index.collections)
        timed("inconsistent sources", index.inconsistent_keys)
        print("with some rows not yet indexed")
        searches(index, make)
        start = time.perf_counter()
        index.maintain(force=True)
        print(f"maintain with force: {time.perf_counter() - start:.1f} s")
        searches(index, make)


if __name__ == "__main__":
    main()
