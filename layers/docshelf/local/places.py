"""Where a laptop keeps its indexes."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

from docshelf.errors import IndexMismatchError, IndexMissingError, IndexUnavailableError

_CURRENT = "current-index"


def home(environment: Mapping[str, str] = os.environ) -> Path:
    """The directory of everything that docshelf keeps: `DOCSHELF_HOME`, else `.docshelf` in the user's home."""
    named = environment.get("DOCSHELF_HOME")
    return Path(named).expanduser() if named else Path.home() / ".docshelf"


def index_root(folder: Path, place: Path) -> Path:
    """The index of `folder` below `place`: named after the folder, distinct for distinct folders."""
    real = Path(os.path.realpath(folder))  # unlike resolve(), takes a link that leads to itself
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", real.name).strip("-.") or "folder"
    return place / "indexes" / f"{name[:40]}-{hashlib.sha256(os.fsencode(real)).hexdigest()[:8]}"


def remember_current(root: Path, place: Path) -> None:
    """Make `root` the index that commands use when none is named.

    Raises:
        IndexUnavailableError: `place` cannot be written.
    """
    try:
        place.mkdir(parents=True, exist_ok=True)
        temporary = place / f".{_CURRENT}.{os.getpid()}"
        temporary.write_bytes(os.fsencode(root.resolve()) + b"\n")
        temporary.replace(place / _CURRENT)
    except OSError as error:
        raise IndexUnavailableError(f"{place} cannot be written: {error.strerror}.") from error


def current_root(place: Path) -> Path:
    """The index that was made last without naming a place.

    Raises:
        IndexMissingError: none was made yet.
    """
    try:
        noted = os.fsdecode((place / _CURRENT).read_bytes()).removesuffix("\n")
    except OSError:
        noted = ""
    if not noted or "\0" in noted:
        raise IndexMissingError("There is no index yet: run ./scripts/local first, or name one with --index DIR.")
    return Path(noted)


def claim_for_folder(root: Path, folder: Path) -> None:
    """Note that the index at `root` is made from `folder`; the caller holds the writer lock.

    Raises:
        IndexMismatchError: it was made from another folder that still exists: following this one would empty it.
        IndexUnavailableError: it cannot be written.
    """
    note, here = root / "folder", os.fsencode(folder)
    try:
        made_from = note.read_bytes()
    except FileNotFoundError:
        made_from = here
    except OSError as error:
        raise IndexUnavailableError(f"The index at {root} cannot be read: {error.strerror}.") from error
    if made_from != here and b"\0" not in made_from and os.path.isdir(made_from):  # noqa: PTH112  bytes, not text
        raise IndexMismatchError(
            f"The index at {root} was made from {os.fsdecode(made_from)}; following {folder} would remove all of that: "
            "choose another index directory."
        )
    try:
        note.write_bytes(here)
    except OSError as error:
        raise IndexUnavailableError(f"The index at {root} cannot be written: {error.strerror}.") from error
