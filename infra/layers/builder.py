"""Building what is missing or was built from something else, and leaving the rest."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from infra.layers.archives import write_archive
from infra.layers.built import MODEL_INPUT, BuiltLayers
from infra.layers.contents import fill_dependencies, fill_docshelf, largest_packages
from infra.layers.errors import LayerError
from infra.layers.inputs import dependencies_inputs, docshelf_inputs, preparation_inputs
from infra.layers.interpreters import Interpreter, find_interpreter
from infra.layers.manifest import FORMAT, Layer, Manifest
from infra.layers.model_contents import write_model
from infra.layers.models import WantedModel
from infra.layers.places import DEPENDENCIES, DOCSHELF, RECIPE, Architecture, model_layer
from infra.layers.recipe import Recipe

Say = Callable[[str], None]
Fill = Callable[[Path], Mapping[str, int]]
"""Fills a directory; gives the bytes that each function unpacks."""

_UNFINISHED = ".unfinished-"


class LayerBuilder:
    """Builds the layers of one architecture into `directory`, one process at a time."""

    def __init__(self, directory: Path, architecture: Architecture, python: str, say: Say) -> None:
        """`python` is a minor version; `say` is told what is going on."""
        self._directory, self._architecture, self._python, self._say = directory, architecture, python, say
        self._recipe = Recipe.read(RECIPE)
        self._found: Interpreter | None = None

    def build(self, model: WantedModel) -> BuiltLayers:
        """All three layers, with `model` in the one of the model.

        Raises:
            LayerError: one cannot be built. What was there before is still there.
        """
        name = model_layer(model.name)
        if name is None:
            raise LayerError(f"The model's name {model.name!r} cannot name a layer: use letters, digits and dashes.")
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            with self._exclusive():
                self._layer(DEPENDENCIES, dependencies_inputs(self._architecture, self._python), self._dependencies)
                self._layer(DOCSHELF, docshelf_inputs(self._python), self._docshelf)
                self._layer(name, {**preparation_inputs(), MODEL_INPUT: model.source}, lambda tree: _model(model, tree))
        except OSError as error:
            raise LayerError(f"The layers cannot be built in {self._directory}: {error}.") from error
        return BuiltLayers.load(self._directory)

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        lock = FileLock(self._directory / ".lock")
        try:
            lock.acquire(blocking=False)
        except Timeout:
            self._say(f"Another command is building in {self._directory}; waiting for it ...")
            lock.acquire()
        try:
            for left in self._directory.glob(f"{_UNFINISHED}*"):
                shutil.rmtree(left)
            yield
        finally:
            lock.release()

    def _layer(self, name: str, inputs: Mapping[str, str], fill: Fill) -> None:
        manifest = self._manifest()
        layer = manifest.layers.get(name)
        target = self._directory / f"{name}.zip"
        if layer is not None and layer.inputs == inputs and _is_there(target, layer):
            self._say(f"{name}: unchanged.")
            return
        begun = time.monotonic()
        self._say(f"{name}: building ...")
        with tempfile.TemporaryDirectory(dir=self._directory, prefix=_UNFINISHED) as scratch:
            tree, archive = Path(scratch) / "tree", Path(scratch) / target.name
            tree.mkdir()
            unpacked = fill(tree)
            written = write_archive(tree, archive)
            made = Layer(
                file=target.name,
                sha256=written.sha256,
                content=written.content,
                zipped=written.zipped,
                unzipped=written.unzipped,
                inputs=inputs,
                largest=largest_packages(tree),
                unpacked=unpacked,
            )
            archive.replace(target)
        manifest.with_layer(name, made).write(self._directory)
        self._say(f"{name}: built in {time.monotonic() - begun:.0f} s.")

    def _manifest(self) -> Manifest:
        found = Manifest.read(self._directory)
        if found is not None and (found.architecture, found.python) == (self._architecture, self._python):
            return found
        return Manifest(format=FORMAT, architecture=self._architecture, python=self._python, layers={})

    def _dependencies(self, tree: Path) -> Mapping[str, int]:
        packing = fill_dependencies(tree, self._recipe, self._architecture, self._interpreter())
        return {name: packing.unpacked_bytes(name, function) for name, function in self._recipe.functions.items()}

    def _docshelf(self, tree: Path) -> Mapping[str, int]:
        fill_docshelf(tree, self._interpreter())
        return {}

    def _interpreter(self) -> Interpreter:
        if self._found is None:
            self._found = find_interpreter(self._python)
            self._say(f"Bytecode is written by {self._found.path}, version {self._found.release}.")
        return self._found


def _model(model: WantedModel, tree: Path) -> Mapping[str, int]:
    write_model(model.files(), tree / "model")
    return {}


def _is_there(path: Path, layer: Layer) -> bool:
    try:
        return path.stat().st_size == layer.zipped
    except FileNotFoundError:
        return False
