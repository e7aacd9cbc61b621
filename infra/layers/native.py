"""Native libraries: what each needs of the others, as its ELF headers say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import StringTableSection

from infra.layers.errors import LayerError
from infra.layers.places import Architecture

_MACHINES: Mapping[Architecture, str] = {"arm64": "EM_AARCH64", "x86_64": "EM_X86_64"}
# An extension module for one Python, or for all: name.cpython-313-x86_64-linux-gnu.so, name.abi3.so.
_MODULE = re.compile(r"(?P<stem>\w+)\.(?:cpython-\d+[^.]*|abi3)\.so")


@dataclass(frozen=True, slots=True)
class Library:
    """One library of a tree. `path` is relative to the tree; `module` is None for one that is not imported."""

    path: str
    size: int
    soname: str
    needed: tuple[str, ...]
    module: str | None


class Libraries:
    """All native libraries below `root`."""

    def __init__(self, root: Path, architecture: Architecture) -> None:
        """Raises LayerError where one is for another architecture, or two go by the same name."""
        found = (path for path in sorted(root.rglob("*.so*")) if path.is_file())
        self._all = {library.path: library for library in (_read(root, path, architecture) for path in found)}
        self._by_name: dict[str, Library] = {}
        for library in self._all.values():
            if library.module is None and self._by_name.setdefault(library.soname, library) is not library:
                raise LayerError(
                    f"{library.path} and {self._by_name[library.soname].path} are the same library: leave one out by "
                    "a rule of the recipe."
                )

    def __iter__(self) -> Iterator[Library]:
        return iter(self._all.values())

    def modules(self) -> list[Library]:
        """Those that are imported."""
        return [library for library in self._all.values() if library.module is not None]

    def needs(self, library: Library) -> list[Library]:
        """The libraries of the tree that must be loaded before `library`, each after those that it needs itself."""
        order: dict[str, Library] = {}
        self._visit(library, order)
        return [each for each in order.values() if each is not library]

    def _visit(self, library: Library, order: dict[str, Library]) -> None:
        if library.path in order:
            return
        for name in library.needed:
            if name in self._by_name:
                self._visit(self._by_name[name], order)
        order[library.path] = library


def _read(root: Path, path: Path, architecture: Architecture) -> Library:
    relative = path.relative_to(root)
    try:
        with path.open("rb") as stream:
            elf = ELFFile(stream)
            machine = elf["e_machine"]
            sonames, needed = _names(elf, "DT_SONAME"), _names(elf, "DT_NEEDED")
    except ELFError as error:
        raise LayerError(f"{relative} is not a library ({error}): leave it out by a rule of the recipe.") from error
    if machine != _MACHINES[architecture]:
        raise LayerError(f"{relative} is not for {architecture}: get the dependencies anew.")
    match = _MODULE.fullmatch(path.name)
    module = ".".join([*relative.parts[:-1], match["stem"]]) if match else None
    return Library(relative.as_posix(), path.stat().st_size, (sonames or [path.name])[0], tuple(needed), module)


def _names(elf: ELFFile, kind: str) -> list[str]:
    """The names in the entries of a kind of the dynamic section."""
    section = elf.get_section_by_name(".dynamic")
    if not isinstance(section, DynamicSection):
        return []
    strings = elf.get_section(section["sh_link"])
    assert isinstance(strings, StringTableSection)
    return [strings.get_string(tag["d_val"]) for tag in section.iter_tags(kind)]
