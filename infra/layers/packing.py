"""Packing the largest libraries: `docshelf.packed_libraries` unpacks them again where they are imported."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from docshelf.packed_libraries import FORMAT, INDEX, STORE, SUFFIX
from infra.layers.errors import LayerError
from infra.layers.native import Libraries, Library
from infra.layers.places import Architecture
from infra.layers.recipe import Function, Pack

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# Higher levels take five times as long for a hundredth less.
_OPTIONS: dict[int, int] = {zstd.CompressionParameter.compression_level: 12, zstd.CompressionParameter.checksum_flag: 1}


@dataclass(frozen=True, slots=True)
class PackedModule:
    """A module that cannot be imported from its place alone. The paths are relative to the tree.

    `needs` are loaded before it, in that order; `beside` lie in its directory when it is loaded.
    """

    library: str
    needs: tuple[str, ...]
    beside: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Packing:
    """What is packed: bytes of each library by its path, and each module that takes part, by its name."""

    libraries: dict[str, int]
    modules: dict[str, PackedModule]

    def unpacked_bytes(self, name: str, function: Function) -> int:
        """What `function` unpacks, if it imports everything that it says. Raises LayerError for an unknown module."""
        paths: set[str] = set()
        for module in function.packed_modules:
            packed = self.modules.get(module)
            if packed is None:
                raise LayerError(
                    f"The function {name} imports {module} by the recipe, which is not among the packed modules: "
                    "correct the recipe."
                )
            paths |= {packed.library, *packed.needs, *packed.beside}
        return sum(self.libraries.get(path, 0) for path in paths)


def pack(root: Path, architecture: Architecture, rules: Pack) -> Packing:
    """Replace the largest libraries below `root` by their packed form, and write the index of them.

    Only what is found by an import, or by the headers of a library that needs it, is packed; what a program opens by
    its path must stay where it is.

    Raises:
        LayerError: a rule matches nothing, or the libraries are not what they should be.
    """
    libraries = Libraries(root, architecture)
    packing = _plan(libraries, rules)
    store = root / STORE
    for path in packing.libraries:
        target = store / f"{path}{SUFFIX}"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(zstd.compress((root / path).read_bytes(), options=_OPTIONS))
        (root / path).unlink()
    index = {
        "format": FORMAT,
        "libraries": packing.libraries,
        "modules": {
            name: {"library": module.library, "needs": list(module.needs), "beside": list(module.beside)}
            for name, module in sorted(packing.modules.items())
        },
    }
    store.mkdir(exist_ok=True)
    digest = _digest(store, index)
    (store / INDEX).write_text(json.dumps({"digest": digest, **index}, indent=1) + "\n", "utf-8")
    return packing


def _plan(libraries: Libraries, rules: Pack) -> Packing:
    all_of_them = list(libraries)
    kept = {library.path for rule in rules.in_place for library in _matching(all_of_them, rule.library)}
    beside = {
        library.path: [each.path for each in _matching(all_of_them, rule.file)]
        for rule in rules.beside
        for library in _matching(all_of_them, rule.library)
    }
    reachable = {each.path: each for module in libraries.modules() for each in (module, *libraries.needs(module))}
    packed = {
        path: library.size
        for path, library in reachable.items()
        if library.size >= rules.at_least_bytes and path not in kept
    }
    packed |= {each.path: each.size for each in all_of_them for path in packed if each.path in beside.get(path, ())}
    modules = {}
    for module in libraries.modules():
        needs = tuple(each.path for each in libraries.needs(module))
        if module.module is not None and not packed.keys().isdisjoint({module.path, *needs}):
            wanted = beside.get(module.path, []) if module.path in packed else []
            modules[module.module] = PackedModule(module.path, needs, tuple(wanted))
    return Packing(dict(sorted(packed.items())), modules)


def _matching(libraries: Iterable[Library], pattern: str) -> list[Library]:
    found = [library for library in libraries if fnmatchcase(library.path, pattern)]
    if not found:
        raise LayerError(
            f"The recipe packs {pattern!r} in a way of its own, but no library has that name any more: see what the "
            "new versions have in its place, and correct the recipe."
        )
    return found


def _digest(store: Path, index: dict[str, object]) -> str:
    total = hashlib.sha256(json.dumps(index, sort_keys=True).encode())
    for path in sorted(store.rglob(f"*{SUFFIX}")):
        with path.open("rb") as stream:
            total.update(hashlib.file_digest(stream, "sha256").digest())
    return total.hexdigest()
