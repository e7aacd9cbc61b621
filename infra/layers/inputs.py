"""What each layer is made from, as digests: a layer whose inputs are the same is not built again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

from docshelf.embedding.profiles import ModelProfile
from infra.layers.places import LICENCE, PACKAGE, RECIPE, REQUIREMENTS

_BUILDER = Path(__file__).parent
_UNUSED = "__pycache__"


def dependencies_inputs(architecture: str, python: str) -> dict[str, str]:
    """Of the layer of the dependencies. Raises OSError where a file of the repository cannot be read."""
    return {
        "architecture": architecture,
        "Python's version": python,
        "layers/dependencies/requirements.txt": file_digest(REQUIREMENTS),
        "layers/dependencies/recipe.toml": file_digest(RECIPE),
        "infra/layers": files_digest(_BUILDER, sorted(_BUILDER.glob("*.py"))),
    }


def docshelf_inputs(python: str) -> dict[str, str]:
    """Of the layer of docshelf itself. Raises OSError."""
    return {
        "Python's version": python,
        "layers/docshelf": files_digest(PACKAGE, package_files()),
        "LICENSE": file_digest(LICENCE),
        "infra/layers": files_digest(_BUILDER, sorted(_BUILDER.glob("*.py"))),
    }


def preparation_inputs() -> dict[str, str]:
    """Of every layer of a model, besides the model itself. Raises OSError."""
    embedding = PACKAGE / "embedding"
    return {
        "onnxruntime's version": version("onnxruntime"),
        "layers/docshelf/embedding": files_digest(embedding, sorted(embedding.glob("*.py"))),
        "infra/layers": files_digest(_BUILDER, sorted(_BUILDER.glob("*.py"))),
    }


def profile_input(profile: ModelProfile) -> str:
    """The pins of a model that docshelf knows."""
    return _digest(f"{file.role} {file.size} {file.sha256}\n".encode() for file in profile.files)


def package_files() -> list[Path]:
    """The files of docshelf, data files too, without what Python or an editor left between them."""
    found = (path for path in PACKAGE.rglob("*") if path.is_file() and _belongs(path.relative_to(PACKAGE)))
    return sorted(found, key=lambda path: path.relative_to(PACKAGE).as_posix())


def files_digest(root: Path, files: Iterable[Path]) -> str:
    """Of the paths below `root` and the bytes of `files`, in their order. Raises OSError."""
    return _digest(f"{path.relative_to(root).as_posix()} {file_digest(path)}\n".encode() for path in files)


def file_digest(path: Path) -> str:
    """The SHA-256 of a file's bytes. Raises OSError."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _belongs(path: Path) -> bool:
    return _UNUSED not in path.parts and not any(part.startswith(".") or part.endswith("~") for part in path.parts)


def _digest(parts: Iterable[bytes]) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update(part)
    return total.hexdigest()
