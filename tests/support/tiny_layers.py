"""Layers that say they were built from what the repository holds, with next to nothing in them: for templates alone."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path

from docshelf.embedding.pinned_file import file_sha256
from docshelf.embedding.profiles import PROFILES
from infra.layers.built import MODEL_INPUT
from infra.layers.inputs import dependencies_inputs, docshelf_inputs, preparation_inputs, profile_input
from infra.layers.manifest import FORMAT, Layer, Manifest
from infra.layers.places import DEPENDENCIES, DOCSHELF, PYTHON, Architecture, model_layer


def tiny_layers(directory: Path, architecture: Architecture = "arm64", models: Iterable[str] = PROFILES) -> Path:
    """Layers in `directory`, as `BuiltLayers.load` takes them; returns it."""
    directory.mkdir(parents=True)
    inputs = {DEPENDENCIES: dependencies_inputs(architecture, PYTHON), DOCSHELF: docshelf_inputs(PYTHON)}
    for model in models:
        name = model_layer(model)
        assert name is not None
        inputs[name] = {**preparation_inputs(), MODEL_INPUT: profile_input(PROFILES[model])}
    layers = {name: _layer(directory, name, made_from) for name, made_from in inputs.items()}
    Manifest(format=FORMAT, architecture=architecture, python=PYTHON, layers=layers).write(directory)
    return directory


def _layer(directory: Path, name: str, inputs: dict[str, str]) -> Layer:
    path = directory / f"{name}.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo(f"{name}.txt"), name)
    digest = file_sha256(path)
    return Layer(
        file=path.name,
        sha256=digest,
        content=digest,
        zipped=path.stat().st_size,
        unzipped=len(name),
        inputs=inputs,
        largest={},
    )
