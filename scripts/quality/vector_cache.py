"""Vectors kept between runs: embedding is nearly all of the time that an evaluation takes."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt

from docshelf.embedding.embedder import Embedder
from docshelf.embedding.model_files import ResolvedModel

_KEYS_A_QUERY = 500


class VectorCache:
    """Vectors by the hash of model and text, in one file; any thread may use it."""

    def __init__(self, path: Path, dimension: int) -> None:
        """Open the file at `path` or make it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._dimension = dimension
        self._lock = threading.Lock()
        self._file = sqlite3.connect(path, check_same_thread=False, timeout=60)
        with self._file:
            self._file.execute(
                "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
            )

    def get(self, keys: Sequence[bytes]) -> dict[bytes, npt.NDArray[np.float32]]:
        """The vectors that are known, by key."""
        found: dict[bytes, npt.NDArray[np.float32]] = {}
        for start in range(0, len(keys), _KEYS_A_QUERY):
            part = keys[start : start + _KEYS_A_QUERY]
            places = ",".join("?" * len(part))
            with self._lock, closing(self._file.cursor()) as cursor:
                rows = cursor.execute(f"SELECT key, vector FROM vectors WHERE key IN ({places})", part).fetchall()
            found |= {key: np.frombuffer(vector, dtype=np.float32) for key, vector in rows}
        return {key: vector for key, vector in found.items() if vector.shape == (self._dimension,)}

    def put(self, vectors: Iterable[tuple[bytes, npt.NDArray[np.float32]]]) -> None:
        """Keep vectors."""
        with self._lock, self._file:
            self._file.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?)", ((key, vector.tobytes()) for key, vector in vectors)
            )

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class CachedEmbedder(Embedder):
    """An embedder that runs the model only for texts it has not seen in any run; `computed` counts those."""

    def __init__(self, resolved: ResolvedModel, directory: Path, threads: int | None = None) -> None:
        """Vectors are kept in `directory`, a file a model. Raises ModelUnavailableError."""
        super().__init__(resolved, threads)
        self.computed = 0
        sha256 = self.identity.sha256
        self._cache = VectorCache(directory / f"{self.identity.name}-{sha256[:16]}.sqlite", self.identity.dimension)

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """As the model gives them."""
        keys = [self._key(self.identity.passage_prefix + text) for text in texts]
        known = self._cache.get(list(dict.fromkeys(keys)))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            made = dict(zip(missing, super().embed_passages(list(missing.values())), strict=True))
            self._cache.put(made.items())
            self.computed += len(made)
            known |= made
        return np.stack([known[key] for key in keys]) if keys else super().embed_passages(())

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """As the model gives it."""
        key = self._key(self.identity.query_prefix + text)
        known = self._cache.get([key])
        if key not in known:
            known[key] = super().embed_query(text)
            self._cache.put(known.items())
            self.computed += 1
        return known[key]

    def close(self) -> None:
        """End the threads and close the file."""
        super().close()
        self._cache.close()

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self.identity.sha256}\0{text}".encode()).digest()
