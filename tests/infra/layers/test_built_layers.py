"""Layers are built once, built again where something has changed, and refused where they are not current."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from infra.layers import built, inputs
from infra.layers.built import BuiltLayers
from infra.layers.errors import LayersMissingError
from infra.layers.places import MANIFEST
from tests.support.tiny_layers import tiny_layers

MODEL = "all-minilm-l6-v2"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tiny_layers(tmp_path / "arm64")


def change(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another file of the repository than the layers were built from."""
    real: Callable[..., dict[str, str]] = getattr(inputs, name)
    monkeypatch.setattr(built, name, lambda *given: {**real(*given), "a file": "changed"})


def test_what_was_built_is_found(directory: Path) -> None:
    layers = BuiltLayers.load(directory)
    assert (layers.architecture, layers.python) == ("arm64", "3.13")
    assert [layers.dependencies, layers.docshelf, layers.model(MODEL)] == [
        directory / f"{name}.zip" for name in ("dependencies", "docshelf", f"model-{MODEL}")
    ]


@pytest.mark.parametrize("damage", ["no directory", "no manifest", "not JSON", "another format"])
def test_without_layers_the_command_that_builds_them_is_named(damage: str, directory: Path) -> None:
    manifest = directory / MANIFEST
    if damage == "no directory":
        shutil.rmtree(directory)
    elif damage == "no manifest":
        manifest.unlink()
    elif damage == "not JSON":
        manifest.write_text("{", "utf-8")
    else:
        manifest.write_text(manifest.read_text("utf-8").replace('"format": 1', '"format": 2'), "utf-8")
    with pytest.raises(LayersMissingError, match="run scripts/build_layers --arch arm64 to build them"):
        BuiltLayers.load(directory)


@pytest.mark.parametrize("name", ["dependencies", "docshelf"])
def test_a_layer_whose_file_is_gone_is_told(name: str, directory: Path) -> None:
    (directory / f"{name}.zip").unlink()
    with pytest.raises(LayersMissingError, match=f"The layer {name} is not in .*: run scripts/build_layers"):
        BuiltLayers.load(directory)


@pytest.mark.parametrize("name", ["dependencies", "docshelf"])
def test_a_layer_that_was_built_from_other_files_is_refused_with_what_changed(
    name: str, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(f"{name}_inputs", monkeypatch)
    with pytest.raises(LayersMissingError, match=rf"The layer {name} .* \(a file changed\): run scripts/build_layers"):
        BuiltLayers.load(directory)


def test_a_model_that_was_built_from_other_files_is_refused(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change("preparation_inputs", monkeypatch)
    layers = BuiltLayers.load(directory)
    with pytest.raises(LayersMissingError, match=rf"run scripts/build_layers --arch arm64 --model {MODEL} to build it"):
        layers.model(MODEL)


@pytest.mark.parametrize("name", ["other", "../other"])
def test_a_model_that_was_not_built_is_told(name: str, directory: Path) -> None:
    with pytest.raises(LayersMissingError, match=f"--model {name} to build it"):
        BuiltLayers.load(directory).model(name)
