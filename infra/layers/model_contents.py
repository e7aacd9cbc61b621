"""What the layer of a model holds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from docshelf.embedding.model_directory import DESCRIPTION_FILE
from docshelf.embedding.model_files import ResolvedModel
from docshelf.embedding.onnx_model import WEIGHTS_FILE
from docshelf.embedding.preparation import prepare_model
from docshelf.embedding.prepared import FIELD, GRAPH_FILE
from docshelf.embedding.profiles import PROFILES
from docshelf.errors import DocshelfError
from infra.layers.errors import LayerError

_READABLE = 0o644
_NOTICE = "NOTICE"
_MOST_GROWTH = 1.5


def write_model(model: ResolvedModel, directory: Path) -> None:
    """Write `model` into the new `directory`, prepared, with a notice of where it comes from, readable by everybody.

    A model that docshelf knows, and that preparing unfolds to far more bytes, is written as it comes: it has to fit.

    Raises:
        LayerError: it cannot be loaded or written.
        OSError: the disk is full.
    """
    try:
        prepare_model(model, directory)
    except DocshelfError as error:
        raise LayerError(error.sentence) from error
    grown = sum(path.stat().st_size for path in directory.iterdir()) > model.profile.size * _MOST_GROWTH
    if model.profile.files and grown:
        _restore(model, directory)
    _write_notice(model, directory)
    for path in directory.iterdir():
        path.chmod(_READABLE)


def _restore(model: ResolvedModel, directory: Path) -> None:
    """Put the model as it comes in the place of the prepared one."""
    (directory / WEIGHTS_FILE).unlink(missing_ok=True)
    shutil.copyfile(model.files.model_path, directory / GRAPH_FILE)
    path = directory / DESCRIPTION_FILE
    description = json.loads(path.read_bytes())
    del description[FIELD]
    path.write_text(json.dumps(description, indent=2) + "\n", "utf-8")


def _write_notice(model: ResolvedModel, directory: Path) -> None:
    profile = PROFILES.get(model.profile.name)
    if profile is None or not profile.licence:
        return
    lines = [f"The model {profile.name}, under the licence {profile.licence}."]
    if profile.repository:
        lines.append(f"From {profile.repository}, revision {profile.revision}.")
    (directory / _NOTICE).write_text("\n".join(lines) + "\n", "utf-8")
