"""The layers that were built, for whoever deploys or runs them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from docshelf.embedding.profiles import PROFILES
from infra.layers.errors import LayersMissingError
from infra.layers.inputs import dependencies_inputs, docshelf_inputs, preparation_inputs, profile_input
from infra.layers.manifest import Layer, Manifest
from infra.layers.places import DEPENDENCIES, DOCSHELF, Architecture, build_command, model_layer

MODEL_INPUT = "model"
DIRECTORY_MODEL = "directory "
"""What the input of a model from a person's own directory begins with."""


@dataclass(frozen=True, slots=True)
class BuiltLayers:
    """The layers in `directory`, one architecture's and one Python's; each path is that of a zip file."""

    directory: Path
    manifest: Manifest

    @classmethod
    def load(cls, directory: Path) -> Self:
        """What `scripts/build_layers` left in `directory`, which is named after the architecture.

        Raises:
            LayersMissingError: nothing was built there, or from other files than the repository holds now.
        """
        manifest = Manifest.read(directory)
        if manifest is None:
            raise LayersMissingError(
                f"There are no layers in {directory}: run {build_command(directory.name)} to build them."
            )
        made = cls(directory, manifest)
        made._current(DEPENDENCIES, dependencies_inputs(made.architecture, made.python))
        made._current(DOCSHELF, docshelf_inputs(made.python))
        return made

    @property
    def architecture(self) -> Architecture:
        """Of the processor."""
        return self.manifest.architecture

    @property
    def python(self) -> str:
        """The minor version of Python, such as `3.13`."""
        return self.manifest.python

    @property
    def dependencies(self) -> Path:
        """What docshelf needs, below `python/`."""
        return self.directory / self.manifest.layers[DEPENDENCIES].file

    @property
    def docshelf(self) -> Path:
        """docshelf itself, below `python/`."""
        return self.directory / self.manifest.layers[DOCSHELF].file

    def model(self, name: str) -> Path:
        """The prepared model `name`, below `model/`.

        Raises:
            LayersMissingError: it was not built, or from other files than the repository holds now.
        """
        layer = model_layer(name)
        inputs = preparation_inputs()
        built = self.manifest.layers.get(layer or "")
        own = built is not None and built.inputs.get(MODEL_INPUT, "").startswith(DIRECTORY_MODEL)
        if built is not None and own:
            inputs[MODEL_INPUT] = built.inputs[MODEL_INPUT]  # its directory may lie on another machine
        elif name in PROFILES:
            inputs[MODEL_INPUT] = profile_input(PROFILES[name])
        return self.directory / self._current(layer or name, inputs, name).file

    def layer(self, name: str) -> Layer:
        """What is known of the layer `name`. Raises KeyError where it was not built."""
        return self.manifest.layers[name]

    def _current(self, name: str, inputs: dict[str, str], model: str | None = None) -> Layer:
        command = build_command(self.architecture, model, self.python)
        layer = self.manifest.layers.get(name)
        if layer is None or not (self.directory / layer.file).is_file():
            raise LayersMissingError(f"The layer {name} is not in {self.directory}: run {command} to build it.")
        changed = [key for key in {**inputs, **layer.inputs} if inputs.get(key) != layer.inputs.get(key)]
        if changed:
            raise LayersMissingError(
                f"The layer {name} in {self.directory} was built from something else ({', '.join(changed)} changed): "
                f"run {command} to build it anew."
            )
        return layer
