"""What each layer holds: filling a directory as Lambda will have it below /opt."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from docshelf.packed_libraries import STORE
from infra.layers.bytecode import compile_tree
from infra.layers.inputs import package_files
from infra.layers.interpreters import Interpreter
from infra.layers.packing import Packing, pack
from infra.layers.places import LICENCE, PACKAGE, REQUIREMENTS, Architecture
from infra.layers.recipe import Recipe
from infra.layers.trimming import trim
from infra.layers.wheels import install_wheels

_PYTHON = "python"
_LARGEST = 12


def fill_dependencies(tree: Path, recipe: Recipe, architecture: Architecture, interpreter: Interpreter) -> Packing:
    """The locked wheels, trimmed, packed and compiled. Raises LayerError."""
    root = tree / _PYTHON
    install_wheels(REQUIREMENTS, root, architecture, interpreter.minor)
    trim(root, recipe.remove)
    packing = pack(root, architecture, recipe.pack)
    compile_tree(tree, interpreter)
    return packing


def fill_docshelf(tree: Path, interpreter: Interpreter) -> None:
    """The package with its data files, compiled. Raises LayerError."""
    root = tree / _PYTHON / PACKAGE.name
    for path in package_files():
        target = root / path.relative_to(PACKAGE)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    shutil.copyfile(LICENCE, root / LICENCE.name)
    compile_tree(tree, interpreter)


def largest_packages(tree: Path) -> Mapping[str, int]:
    """Bytes of the largest packages in the tree, the largest first; a packed library counts for its package."""
    root, sizes = tree / _PYTHON, Counter[str]()
    for path in root.rglob("*"):
        if path.is_file():
            parts = path.relative_to(root).parts
            sizes[parts[1 if parts[0] == STORE and len(parts) > 2 else 0]] += path.stat().st_size
    return dict(sorted(sizes.items(), key=lambda item: (-item[1], item[0]))[:_LARGEST])
