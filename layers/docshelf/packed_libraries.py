"""Imports native modules from a store of packed libraries, where the package was installed together with one.

A function of Lambda may have 250 MiB, and LanceDB's library alone has 176. So its layer holds the largest libraries
compressed, in a directory beside this package, with an index that says which module needs which of them. `install`
puts a finder in front of Python's own. When such a module is first imported, its library and those that it needs are
unpacked into a temporary directory and loaded, in the order of their dependencies. What a process does not import, it
does not unpack; what another process has unpacked, it uses.

There is no store where docshelf runs from its repository or from a wheel.
"""

from __future__ import annotations

import ctypes
import json
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from docshelf.packed_libraries_directory import PackedLibraryError, UnpackedLibraries

STORE = "docshelf_packed"
"""The store's directory, beside that of the package."""

INDEX = "index.json"
SUFFIX = ".zst"
FORMAT = 1


def install(store: Path) -> None:
    """Import the modules in the index of `store` from there, from now on.

    Raises:
        PackedLibraryError: the index cannot be used. Importing a module raises it as well, where its library cannot
            be unpacked; it is no ImportError, which libraries catch to go on without.
    """
    sys.meta_path.insert(0, PackedFinder(store))


@dataclass(frozen=True, slots=True)
class _Module:
    """Paths are relative to where the packages are; see `infra.layers.packing`."""

    library: str
    needs: tuple[str, ...]
    beside: tuple[str, ...]


class PackedFinder(MetaPathFinder):
    """Finds the modules in the index of a store, and nothing else; finding one unpacks nothing yet."""

    def __init__(self, store: Path) -> None:
        """Raises PackedLibraryError where the index cannot be used."""
        index = _read(store / INDEX)
        self._modules = {
            name: _Module(each["library"], *map(tuple, (each["needs"], each["beside"])))
            for name, each in index["modules"].items()
        }
        self._places = _Places(store, index["libraries"], index["digest"])

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where the module is, or will be."""
        module = self._modules.get(fullname)
        if module is None:
            return None
        location = str(self._places.of(module.library))
        return spec_from_file_location(fullname, location, loader=_Loader(fullname, location, module, self._places))


class _Loader(ExtensionFileLoader):
    def __init__(self, name: str, path: str, module: _Module, places: _Places) -> None:
        super().__init__(name, path)
        self._module, self._places = module, places

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        self._places.provide(self._module)
        return super().create_module(spec)


class _Places:
    """Where each library is: in the temporary directory if it was packed, beside the packages if not."""

    def __init__(self, store: Path, packed: Mapping[str, int], digest: str) -> None:
        self._packages = store.parent
        self._packed = packed
        self._unpacked = UnpackedLibraries(store, digest)
        self._loaded: dict[str, ctypes.CDLL] = {}
        self._lock = threading.Lock()

    def of(self, library: str) -> Path:
        return (self._unpacked.directory if library in self._packed else self._packages) / library

    def provide(self, module: _Module) -> None:
        """Unpack the module's library, and load those that it needs: the linker then finds them by their names."""
        with self._lock:
            self._unpacked.provide(
                {
                    path: self._packed[path]
                    for path in (*module.needs, *module.beside, module.library)
                    if path in self._packed
                }
            )
            for path in module.needs:
                if path not in self._loaded:
                    self._loaded[path] = _load(self.of(path))


def _load(path: Path) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise PackedLibraryError(f"{path.name} cannot be loaded ({error}): build the layers anew.") from error


def _read(path: Path) -> dict[str, Any]:
    try:
        index = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise PackedLibraryError(f"{path} cannot be read: build the layers anew.") from error
    if not isinstance(index, dict) or index.get("format") != FORMAT:
        raise PackedLibraryError(f"{path} was written by another version: build all layers with this one.")
    return index
