"""The layers of the functions, built once for all tests and kept for the next run."""

from __future__ import annotations

import sys

from infra.layers.builder import LayerBuilder
from infra.layers.built import BuiltLayers
from infra.layers.errors import LayerError
from infra.layers.interpreters import find_interpreter
from infra.layers.models import wanted_model
from infra.layers.places import OUTPUT, PYTHON, Architecture

MODEL = "all-minilm-l6-v2"
"""The model in the layers: it is installed, so no test fetches one."""


def layers_python() -> str:
    """The version that the functions run on, where this machine has it; else the version that runs the tests."""
    try:
        return find_interpreter(PYTHON, fetch=False).minor
    except LayerError:
        return f"{sys.version_info[0]}.{sys.version_info[1]}"


def built_layers(arch: Architecture = "x86_64", python: str | None = None) -> BuiltLayers:
    """The layers of what the repository holds now; what is missing is built, by one process while others wait."""
    version = python or layers_python()
    return LayerBuilder(OUTPUT.parent / "test-layers" / version / arch, arch, version, lambda line: None).build(
        wanted_model(MODEL, None)
    )
