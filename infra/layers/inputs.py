"""What each layer is made from, as digests: a layer whose inputs are the same is not built again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path

from docshelf.embedding.pinned_file import file_sha256
from docshelf.embedding.profiles import ModelProfile
from infra.layers.errors import LayerError
from infra.layers.places import LICENCE, PACKAGE, RECIPE, REQUIREMENTS

_BUILDER = Path(__file__).parent
_LEFTOVERS = ("__pycache__", ".*", "*~", "#*#", "*.orig", "*.rej", "*.bak")
"""What Python, a file manager, an editor or a merge leaves between files."""


def dependencies_inputs(architecture: str, python: str) -> dict[str, str]:
    """Of the layer of the dependencies. Raises OSError where a file of the repository cannot be read."""
    return {
        "architecture": architecture,
        "Python's version": python,
        "layers/dependencies/requirements.txt": file_sha256(REQUIREMENTS),
        "layers/dependencies/recipe.toml": file_sha256(RECIPE),
        "infra/layers": files_digest(_BUILDER, _modules(_BUILDER)),
    }


def docshelf_inputs(python: str) -> dict[str, str]:
    """Of the layer of docshelf itself. Raises OSError."""
    return {
        "Python's version": python,
        "layers/docshelf": files_digest(PACKAGE, package_files()),
        "LICENSE": file_sha256(LICENCE),
        "infra/layers": files_digest(_BUILDER, _modules(_BUILDER)),
    }


def preparation_inputs() -> dict[str, str]:
    """Of every layer of a model, besides the model itself. Raises OSError."""
    embedding = PACKAGE / "embedding"
    return {
        "onnxruntime's version": version("onnxruntime"),
        "layers/docshelf/embedding": files_digest(embedding, _modules(embedding)),
        "infra/layers": files_digest(_BUILDER, _modules(_BUILDER)),
    }


def profile_input(profile: ModelProfile) -> str:
    """The pins of a model that docshelf knows."""
    return _digest(f"{file.role} {file.size} {file.sha256}\n".encode() for file in profile.files)


def package_files(package: Path = PACKAGE) -> list[Path]:
    """The files of docshelf, data files too, without what Python or an editor left between them.

    Raises:
        LayerError: one is a link, which would put a file into the layer that is not of the package.
    """
    found = [path for path in package.rglob("*") if _belongs(path.relative_to(package))]
    for path in found:
        if path.is_symlink():
            raise LayerError(f"{path} is a link, and only files of the package are shipped: put the file itself there.")
    files = (path for path in found if path.is_file())
    return sorted(files, key=lambda path: path.relative_to(package).as_posix())


def files_digest(root: Path, files: Iterable[Path]) -> str:
    """Of the paths below `root` and the bytes of `files`, in their order. Raises OSError."""
    return _digest(f"{path.relative_to(root).as_posix()} {file_sha256(path)}\n".encode() for path in files)


def _belongs(path: Path) -> bool:
    return not any(fnmatchcase(part, leftover) for part in path.parts for leftover in _LEFTOVERS)


def _modules(directory: Path) -> list[Path]:
    """The modules of one directory, without those below it."""
    return sorted(path for path in directory.glob("*.py") if _belongs(path.relative_to(directory)))


def _digest(parts: Iterable[bytes]) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update(part)
    return total.hexdigest()
