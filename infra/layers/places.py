"""Where the layers' sources lie, where what is built goes, and the names of both."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, get_args

Architecture = Literal["arm64", "x86_64"]
ARCHITECTURES: tuple[Architecture, ...] = get_args(Architecture)

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = ROOT / ".docshelf" / "layers"
"""One directory an architecture is made in it."""

PACKAGE = ROOT / "layers" / "docshelf"
REQUIREMENTS = ROOT / "layers" / "dependencies" / "requirements.txt"
RECIPE = ROOT / "layers" / "dependencies" / "recipe.toml"
FUNCTIONS = ROOT / "functions"
LICENCE = ROOT / "LICENSE"

PYTHON = "3.13"
"""The minor version of the functions' runtime."""

MANIFEST = "layers.json"
DEPENDENCIES = "dependencies"
DOCSHELF = "docshelf"

_MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def model_layer(name: str) -> str | None:
    """The name of the layer that holds the model `name`; None where it cannot name a file."""
    return f"model-{name}" if _MODEL_NAME.fullmatch(name) else None


def build_command(architecture: str, model: str | None = None, python: str = PYTHON) -> str:
    """The command that builds what is missing."""
    words = ["scripts/build_layers", "--arch", architecture]
    if model is not None:
        words += ["--model", model]
    if python != PYTHON:
        words += ["--python", python]
    return " ".join(words)
