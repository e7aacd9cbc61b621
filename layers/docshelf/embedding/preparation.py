"""Preparing a model: a directory from which it is loaded faster, and takes less memory.

Loading a model as it comes reads it as a whole, optimises its graph, and leaves memory behind that is not used again.
All that can be done once. What is left is a small graph, and a file of weights that is not read but mapped.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import numpy as np

from docshelf.embedding.embedder import Embedder
from docshelf.embedding.model_directory import DESCRIPTION_FILE
from docshelf.embedding.model_files import ResolvedModel, resolve_model
from docshelf.embedding.onnx_model import save_optimised
from docshelf.embedding.pinned_file import file_sha256
from docshelf.embedding.prepared import FIELD, Prepared
from docshelf.errors import InvalidArgumentError, ModelUnavailableError

# From few tokens to many; where the optimised graph were another function, one of them would show it.
_PROBES = ("docshelf", "How do I rotate the release token?", "one line after another of a longer passage " * 20)
_LEAST_COSINE = 0.9999


def prepare_model(model: ResolvedModel, directory: Path) -> ResolvedModel:
    """Write `model` into the new `directory`, which then stands for it wherever a model is named.

    It gives the same vectors and has the identity of `model`, so that an index made with one is searched with the
    other. The same model gives the same bytes. It is made for the onnxruntime at hand, and for every processor.

    Raises:
        InvalidArgumentError: `directory` exists.
        ModelUnavailableError: the model cannot be loaded, it gives other vectors when it is prepared, or the disk
            cannot take it.
    """
    if directory.exists():
        raise InvalidArgumentError(f"{directory} exists already: name a new directory for the prepared model.")
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=directory.parent, prefix=".unfinished-") as scratch:
            unfinished = Path(scratch) / directory.name
            unfinished.mkdir()
            _write(model, unfinished)
            _compare(model, resolve_model(str(unfinished.resolve())))
            unfinished.rename(directory)
    except OSError as error:
        raise ModelUnavailableError(
            f"The prepared model cannot be written to {directory} ({error.strerror or error}): choose another place."
        ) from error
    return resolve_model(str(directory.resolve()))


def _write(model: ResolvedModel, directory: Path) -> None:
    files, profile = model.files, model.profile
    save_optimised(files.model_path, directory / "model.onnx")
    made = Prepared(files.sha256, {path.name: file_sha256(path) for path in sorted(directory.iterdir())})
    shutil.copyfile(files.tokenizer_path, directory / "tokenizer.json")
    description = {
        "name": profile.name,
        "pooling": profile.pooling,
        "dimension": profile.dimension,
        "max_tokens": profile.max_tokens,
        "query_prefix": profile.query_prefix,
        "passage_prefix": profile.passage_prefix,
        "languages": profile.languages,
        FIELD: made.field(),
    }
    (directory / DESCRIPTION_FILE).write_text(json.dumps(description, indent=2) + "\n", "utf-8")


def _compare(model: ResolvedModel, prepared: ResolvedModel) -> None:
    with Embedder(model, threads=1) as before, Embedder(prepared, threads=1) as after:
        cosines = np.sum(before.embed_passages(_PROBES) * after.embed_passages(_PROBES), axis=1)
    if before.identity != after.identity or cosines.min() < _LEAST_COSINE:
        raise ModelUnavailableError(f"The model {model.profile.name} gives other vectors when it is prepared.")
