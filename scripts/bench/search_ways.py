"""The two ways to search that the bench compares: docshelf's own, and LanceDB as it comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from unittest.mock import patch

from docshelf.index.live import LiveIndex
from docshelf.index.schema import CHUNKS
from docshelf.index.store import Index
from docshelf.index.traffic import count_traffic
from docshelf.search.shelves import Shelves
from docshelf.serving import index_in_use
from scripts.bench.search_data import PLACE, StandInModel

OPENING, WARMING = "cold: opening", "cold: warming"
_PAUSE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Job:
    """What a process is to do. `generation` is where LanceDB finds the tables; `model` is loaded for its memory."""

    server: str
    latency_ms: int
    way: str
    in_steps: bool
    queries: int
    limit: int
    seed: int
    generation: str
    model: str | None
    result: str


class Way(Protocol):
    """A way to search."""

    def steps(self) -> Mapping[str, Callable[[], object]]:
        """What happens before the first query can be answered, one after another."""

    def search(self, query: str) -> None:
        """Ask the index, after all steps that have not been done; there are answers to every query."""

    def pause(self) -> bool:
        """Let a minute pass; False where the next query does not depend on that."""


class _Models:
    """Has one model for every index."""

    def __init__(self, model: StandInModel) -> None:
        self._model = model

    def of(self, _identity: object) -> StandInModel:
        return self._model


class Docshelf:
    """The way of the search function: the index in use is followed, and each query has a shelf of its own."""

    def __init__(self, job: Job, model: StandInModel) -> None:
        self._limit = job.limit
        self._later = 0.0
        self._live = LiveIndex(PLACE, clock=lambda: time.monotonic() + self._later)
        self._index: Index | None = None
        count_traffic()
        with (
            patch.object(index_in_use, "LiveIndex", lambda *_place, **_named: self._live),
            patch.object(index_in_use, "QueryModels", lambda *_names: _Models(model)),
        ):
            in_use = index_in_use.IndexInUse(PLACE, "made-up")
        self._shelves = Shelves(in_use.open, in_use)

    def steps(self) -> Mapping[str, Callable[[], object]]:
        return {OPENING: self._open, WARMING: self._warm}

    def search(self, query: str) -> None:
        answer = self._shelves.for_caller().search(query, collection=None, path_prefix=None, limit=self._limit)
        assert answer.passages

    def pause(self) -> bool:
        self._later += _PAUSE_SECONDS
        return True

    def _open(self) -> None:
        self._index = self._live.current()

    def _warm(self) -> None:
        assert self._index is not None
        self._index.warm()


class LanceDb:
    """LanceDB as it comes: one handle, a hybrid query with its own ranking, all columns; new commits are not seen."""

    def __init__(self, job: Job, model: StandInModel) -> None:
        import lancedb  # only here: what docshelf does not use is none of its memory
        from lancedb.rerankers import RRFReranker

        self._job = job
        self._model = model
        self._lancedb = lancedb
        self._reranker = RRFReranker()
        self._table: Any = None

    def steps(self) -> Mapping[str, Callable[[], object]]:
        return {OPENING: self._open}

    def search(self, query: str) -> None:
        if self._table is None:
            self._open()
        search = self._table.search(query_type="hybrid", vector_column_name="vector", fts_columns="search_text")
        search = search.vector(self._model.embed_query(query)).text(query)
        assert search.rerank(self._reranker).limit(self._job.limit).to_arrow().num_rows

    def pause(self) -> bool:
        return False

    def _open(self) -> None:
        options = {"endpoint": self._job.server, "region": "us-east-1", "allow_http": "true"}
        database = self._lancedb.connect(f"{PLACE}/{self._job.generation}", storage_options=options)
        self._table = database.open_table(CHUNKS)


WAYS: dict[str, Callable[[Job, StandInModel], Way]] = {"docshelf": Docshelf, "LanceDB": LanceDb}
