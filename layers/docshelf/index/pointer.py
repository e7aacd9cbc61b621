"""Which generation of an index is in use: `ROOT/current.json`, and the generations beside it.

All access to the pointer goes through these functions, so that a place other than a local directory needs only
another set of them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from pathlib import Path

from docshelf.errors import IndexCorruptError, IndexMismatchError, IndexMissingError, IndexUnavailableError

FORMAT = 1
_POINTER = "current.json"
_GENERATION = re.compile(r"g[0-9]{4,9}")


def read_pointer(root: Path, remedy: str) -> str:
    """The name of the generation in use.

    Raises:
        IndexMissingError: there is no index at `root`.
        IndexCorruptError: the pointer is not readable as one.
        IndexMismatchError: it was written in another format.
        IndexUnavailableError: it may not be read.
    """
    try:
        text = (root / _POINTER).read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        raise IndexMissingError(f"There is no index at {root} yet.") from None
    except UnicodeDecodeError as error:
        raise IndexCorruptError(f"The index at {root} cannot be read ({_POINTER} is damaged); {remedy}.") from error
    except OSError as error:
        raise IndexUnavailableError(f"The index at {root} cannot be read: {error.strerror}.") from error
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = None
    if isinstance(value, dict) and isinstance(value.get("format"), int) and value["format"] != FORMAT:
        raise IndexMismatchError(f"The index at {root} was written by another version of docshelf; {remedy}.")
    generation = value.get("generation") if isinstance(value, dict) and "format" in value else None
    if not isinstance(generation, str) or not _GENERATION.fullmatch(generation):
        raise IndexCorruptError(f"The index at {root} cannot be read ({_POINTER} is damaged); {remedy}.")
    return generation


def write_pointer(root: Path, generation: str) -> None:
    """Make `generation` the one in use, atomically: a reader sees the old or the new pointer, never part of one.

    Raises:
        IndexUnavailableError: the place cannot be written.
    """
    if not _GENERATION.fullmatch(generation):
        raise ValueError(f"a generation is named like g0001, not {generation!r}")
    try:
        root.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{_POINTER}.", dir=root)
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump({"format": FORMAT, "generation": generation}, file)
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(0o644)
            temporary.replace(root / _POINTER)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise IndexUnavailableError(f"The index at {root} cannot be written: {error.strerror}.") from error


def generations(root: Path) -> list[str]:
    """The names of all generations at `root`, in use or not, oldest first."""
    if not root.is_dir():
        return []
    return sorted((item.name for item in root.iterdir() if _GENERATION.fullmatch(item.name)), key=_number)


def next_generation(root: Path) -> str:
    """A name that no generation at `root` has."""
    return f"g{max((_number(name) for name in generations(root)), default=0) + 1:04}"


def remove_generation(root: Path, generation: str, remedy: str) -> None:
    """Delete a generation that is not in use.

    Raises:
        ValueError: it is the one in use.
    """
    try:
        in_use = read_pointer(root, remedy)
    except IndexMissingError:
        in_use = None
    if generation == in_use:
        raise ValueError(f"{generation} is in use")
    shutil.rmtree(root / generation, ignore_errors=True)


def _number(generation: str) -> int:
    return int(generation[1:])
