"""Texts to vectors: one text at a time on each core."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from docshelf.embedding.model_files import ResolvedModel
from docshelf.embedding.onnx_model import OnnxModel
from docshelf.embedding.profiles import Pooling
from docshelf.embedding.tokenizer import TextTokenizer
from docshelf.errors import ModelUnavailableError
from docshelf.memory import give_back_freed_memory


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """What an index must agree with. Two models of one identity give the same vectors (on one kind of CPU)."""

    name: str
    sha256: str
    tokenizer_sha256: str
    dimension: int
    pooling: Pooling
    max_tokens: int
    query_prefix: str
    passage_prefix: str


def available_cores() -> int:
    """The processors that this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


class Embedder:
    """A loaded model. Close it, or use it as a context manager, to end its threads.

    Every text goes through the model alone, so a vector depends on nothing but its text. Methods may be called from any
    thread; a query runs in its caller's thread and never waits for passages.
    """

    def __init__(self, resolved: ResolvedModel, threads: int | None = None) -> None:
        """Load the model; `threads` (default: one a core) embed passages.

        Raises:
            ModelUnavailableError: the files cannot be loaded or do not fit the profile.
        """
        files = resolved.files
        profile = files.profile
        self.identity = ModelIdentity(
            profile.name,
            files.sha256,
            files.tokenizer_sha256,
            profile.dimension,
            profile.pooling,
            profile.max_tokens,
            profile.query_prefix,
            profile.passage_prefix,
        )
        self.tokenizer = TextTokenizer(files.tokenizer_path, profile.languages)
        self._model = OnnxModel(files.model_path, profile.pooling)
        give_back_freed_memory()
        dimension = self._embed("docshelf").shape[0]
        if dimension != profile.dimension:
            raise ModelUnavailableError(
                f"The model {profile.name} gives vectors of {dimension} numbers instead of {profile.dimension}: its "
                "files are not those of its description."
            )
        self._threads = threads or available_cores()
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="docshelf-embed")

    @property
    def threads(self) -> int:
        """How many passages are embedded at once."""
        return self._threads

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors of passages, float32 of shape (n, dimension), in the order of `texts`."""
        vectors = np.empty((len(texts), self.identity.dimension), dtype=np.float32)
        prefix = self.identity.passage_prefix
        for row, vector in enumerate(self._pool.map(self._embed, (prefix + text for text in texts))):
            vectors[row] = vector
        return vectors

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """The unit vector of a query, float32 of shape (dimension,)."""
        return self._embed(self.identity.query_prefix + text)

    def close(self) -> None:
        """End the threads; passages that have not been begun are dropped. Calling it again does nothing."""
        self._pool.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _embed(self, text: str) -> npt.NDArray[np.float32]:
        return self._model.embed(self.tokenizer.model_input(text, self.identity.max_tokens))
