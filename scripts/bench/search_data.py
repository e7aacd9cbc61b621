"""Indexes of made-up text for the search bench: made once on the local disk, then put into the bucket as files."""

from __future__ import annotations

import hashlib
import http.client
import inspect
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from urllib.parse import quote, urlsplit

import numpy as np
from numpy.typing import NDArray

from docshelf.index import maintenance, rows, schema, search_text, table_indexes
from docshelf.index.identity import IndexIdentity
from docshelf.index.store import Index
from scripts.bench.index import Maker

DIMENSION = 384
CHUNKS_A_DOCUMENT = 10
BUCKET, PREFIX = "bench", "index"
PLACE = f"s3://{BUCKET}/{PREFIX}"
QUERY_WORDS = 6
_DOCUMENTS_A_BATCH = 200
_IDENTITY = IndexIdentity("made-up", "0" * 64, "0" * 64, DIMENSION, "cls", "", "", 512, 256, "1", "1")


class UnitMaker(Maker):
    """Makes documents whose vectors have the length 1."""

    def __init__(self, seed: int = 1) -> None:
        """Words and the centres of vectors are the same for every seed."""
        super().__init__(DIMENSION)
        self.random = np.random.default_rng(seed)

    def vector(self) -> NDArray[np.float32]:
        """A unit vector near one of the centres."""
        vector = super().vector()
        return vector / np.linalg.norm(vector)


class StandInModel:
    """A model for made-up words: a text has a vector like those of the documents, always the same."""

    def __init__(self, maker: UnitMaker) -> None:
        self._centres = maker.centres

    @property
    def tokenizer(self) -> StandInModel:
        """Judges queries as well."""
        return self

    def known_word_share(self, text: str) -> float:
        """Every word is one of its own."""
        return 1.0 if text else 0.0

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of `text`."""
        random = np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]))
        centre = self._centres[random.integers(len(self._centres))]
        vector: NDArray[np.float32] = (centre + random.normal(size=centre.shape) * 0.6).astype(np.float32)
        return vector / np.linalg.norm(vector)


@dataclass(frozen=True, slots=True)
class Dataset:
    """So many chunks, maintained, and then so many commits of one document each that maintenance has not seen."""

    chunks: int
    commits: int = 0

    @property
    def label(self) -> str:
        """The dataset's name in the table."""
        name = f"{self.chunks:,}"
        return f"{name} + {self.commits} commit{'s' * (self.commits > 1)}" if self.commits else name

    def made(self, keep: Path) -> Path:
        """The directory with the index, made within `keep` unless it is there, made by the code as it is now."""
        place = keep / f"{_made_by()}-{self.chunks}-{self.commits}"
        if not place.exists():
            print(f"making an index of {self.label} chunks", file=sys.stderr, flush=True)
            keep.mkdir(parents=True, exist_ok=True)
            unfinished = place.with_suffix(".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            self._make(keep, unfinished)
            unfinished.rename(place)
        return place

    def _make(self, keep: Path, place: Path) -> None:
        if self.commits:
            shutil.copytree(Dataset(self.chunks).made(keep), place)
            index, maker, first = Index.open(place), UnitMaker(seed=2), self.chunks // CHUNKS_A_DOCUMENT
            for number in range(first, first + self.commits):
                index.replace([maker.document(number, CHUNKS_A_DOCUMENT)])
            return
        index, maker, documents = Index.create(place, _IDENTITY), UnitMaker(), self.chunks // CHUNKS_A_DOCUMENT
        for first in range(0, documents, _DOCUMENTS_A_BATCH):
            numbers = range(first, min(first + _DOCUMENTS_A_BATCH, documents))
            index.replace([maker.document(number, CHUNKS_A_DOCUMENT) for number in numbers])
            index.maintain()
        index.maintain(force=True, keep_versions=timedelta(milliseconds=1))
        index.maintain(force=True, keep_versions=timedelta(milliseconds=1))


@cache
def _made_by() -> str:
    """Names the code that decides what is in an index."""
    modules = (sys.modules[__name__], maintenance, rows, schema, search_text, table_indexes)
    return hashlib.sha256("".join(map(inspect.getsource, modules)).encode()).hexdigest()[:8]


def upload(directory: Path, server: str) -> None:
    """Put the files below `directory` at `PLACE` of the server at this address."""
    connection = http.client.HTTPConnection(urlsplit(server).netloc, timeout=60)
    try:
        for path in sorted(path for path in directory.rglob("*") if path.is_file()):
            key = quote(f"/{BUCKET}/{PREFIX}/{path.relative_to(directory).as_posix()}")
            connection.request("PUT", key, path.read_bytes())
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise OSError(f"the server answers {answer.status} to a PUT of {key}")
    finally:
        connection.close()


def asking(maker: UnitMaker) -> Callable[[], str]:
    """Gives another query at every call."""
    return lambda: maker.text(QUERY_WORDS)
