"""Which generation of an index is in use: `current.json`, and the generations beside it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeGuard

from docshelf.errors import IndexCorruptError, IndexMismatchError, IndexMissingError, PreconditionFailedError
from docshelf.index.location import Location, is_address, location_of

FORMAT = 4
_POINTER = "current.json"
_GENERATION = re.compile(r"g[0-9]{4,9}")
_CLAIMS = 20


@dataclass(frozen=True, slots=True)
class Pointer:
    """The generation in use, and the one that a reindex is filling. `tag` names what was read."""

    generation: str
    building: str | None = None
    tag: str | None = None


def read_pointer(place: Path | str, remedy: str) -> Pointer:
    """The pointer of the index at `place`.

    Raises:
        IndexMissingError: there is no index.
        IndexCorruptError: the pointer is not readable as one; the sentence ends with `remedy`.
        IndexMismatchError: it was written in another format.
        IndexUnavailableError, StoreUnavailableError, StoreDeniedError: it cannot be read just now.
    """
    location = location_of(place)
    there = location.read(_POINTER)
    if there is None:
        where = "path, or run ./scripts/local"
        if is_address(place):
            where = "address; the functions make it with the first document"
        raise IndexMissingError(f"There is no index at {location} yet: check the {where}.")
    data, tag = there
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and isinstance(value.get("format"), int) and value["format"] != FORMAT:
        raise IndexMismatchError(f"The index at {location} was written by another version of docshelf; {remedy}.")
    pointer = _pointer(value, tag)
    if pointer is None:
        raise IndexCorruptError(f"The index at {location} cannot be read ({_POINTER} is damaged); {remedy}.")
    return pointer


def _pointer(value: object, tag: str) -> Pointer | None:
    if not isinstance(value, dict) or "format" not in value:
        return None
    generation, building = value.get("generation"), value.get("building")
    if not _is_generation(generation) or (building is not None and not _is_generation(building)):
        return None
    return Pointer(generation, building, tag)


def _is_generation(name: object) -> TypeGuard[str]:
    return isinstance(name, str) and _GENERATION.fullmatch(name) is not None


def write_pointer(place: Path | str, pointer: Pointer) -> Pointer:
    """Write `pointer` in place of the one with its tag, atomically; return it with its new tag.

    Raises:
        PreconditionFailedError: somebody else has written the pointer since it was read.
        IndexUnavailableError, StoreUnavailableError, StoreDeniedError: the place cannot be written.
    """
    for name in filter(None, (pointer.generation, pointer.building)):
        if not _is_generation(name):
            raise ValueError(f"a generation is named like g0001, not {name!r}")
    value = {"format": FORMAT, "generation": pointer.generation}
    if pointer.building is not None:
        value["building"] = pointer.building
    return replace(pointer, tag=location_of(place).write(_POINTER, json.dumps(value).encode(), pointer.tag))


def tag_of_pointer(place: Path | str) -> str | None:
    """The tag of the pointer as it is, readable or not; None where there is none. For replacing a damaged one."""
    there = location_of(place).read(_POINTER)
    return None if there is None else there[1]


def generations(place: Path | str) -> list[str]:
    """The names of all generations at `place`, in use or not, oldest first."""
    return sorted(filter(_is_generation, location_of(place).children("g")), key=_number)


def claim_generation(place: Path | str) -> str:
    """Make room for a new generation, later than all others, that no other process fills; return its name.

    Raises:
        PreconditionFailedError: others claim generations all the time.
        IndexUnavailableError, StoreUnavailableError, StoreDeniedError: the place cannot be written.
    """
    location = location_of(place)
    number = max(map(_number, generations(place)), default=0)
    for following in range(number + 1, number + 1 + _CLAIMS):
        name = f"g{following:04}"
        if location.claim(name):
            return name
    raise PreconditionFailedError(f"Other processes are making the index at {location} anew; try again later.")


def generation_location(place: Path | str, generation: str) -> Location:
    """Where the tables of `generation` are."""
    return location_of(place).child(generation)


def remove_generation(place: Path | str, generation: str, remedy: str) -> None:
    """Delete a generation that is neither in use nor being filled.

    Raises:
        ValueError: it is in use or being filled.
    """
    try:
        pointer = read_pointer(place, remedy)
    except IndexMissingError:
        pointer = None
    if pointer is not None and generation in (pointer.generation, pointer.building):
        raise ValueError(f"{generation} is in use")
    generation_location(place, generation).remove()


def _number(generation: str) -> int:
    return int(generation[1:])
