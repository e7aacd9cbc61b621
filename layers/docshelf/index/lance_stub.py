"""Leaves out the largest part of LanceDB's import, which docshelf has no use for.

`import lancedb` loads `lance_namespace_urllib3_client`, a client of a remote catalogue that is generated from its
description: 160 modules, two thirds of the time of the import. LanceDB itself only names its classes, in signatures
and to wrap a list of tables. Importing this module first puts empty classes in its place, for the whole process.

Nothing is done where LanceDB is not the version that this was tested with, where the client was imported already, and
where `DOCSHELF_LANCE_STUB` is 0, as it must be in a process that connects to such a catalogue by LanceDB.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from docshelf.switches import switched_on

CLIENT = "lance_namespace_urllib3_client"
TESTED_LANCEDB = "0.40."


class _Fields:
    """Holds the fields it is made with, as the classes of the client do."""

    def __init__(self, **fields: object) -> None:
        self.__dict__.update(fields)


class _StandIn(ModuleType):
    """A module in which every public name is a class of its own."""

    def __getattr__(self, name: str) -> type[_Fields]:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (_Fields,), {"__module__": self.__name__})
        setattr(self, name, made)
        return made


class StandInFinder(MetaPathFinder, Loader):
    """Finds a stand-in for the client and for every module within it, and nothing else."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raises SettingsError where DOCSHELF_LANCE_STUB is neither 1 nor 0."""
        package, _, within = fullname.partition(".")
        if package != CLIENT:
            return None
        wanted = isinstance(sys.modules.get(CLIENT), _StandIn) if within else _may_be_left_out()
        return ModuleSpec(fullname, self, is_package=True) if wanted else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """A module without any name yet."""
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Its names are made when they are asked for."""


def _may_be_left_out() -> bool:
    from importlib.metadata import PackageNotFoundError, version  # takes a while, and LanceDB imports it anyway

    if not switched_on(os.environ, "DOCSHELF_LANCE_STUB", default=True):
        return False
    try:
        return version("lancedb").startswith(TESTED_LANCEDB)
    except PackageNotFoundError:
        return False


sys.meta_path.insert(0, StandInFinder())
