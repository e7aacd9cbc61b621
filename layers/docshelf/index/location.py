"""Where an index is: a local directory, or a prefix of an S3 bucket.

A location holds small objects written on a condition, and generations. A tag names the content of an object, so that a
write can say which content it replaces.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, TypeGuard

from docshelf.errors import IndexUnavailableError, PreconditionFailedError

_S3 = "s3://"


class Location(Protocol):
    """A place for an index or a generation; `str()` gives it as a person writes it."""

    @property
    def name(self) -> str:
        """The last part of the path."""

    @property
    def uri(self) -> str:
        """What LanceDB connects to."""

    def storage_options(self) -> dict[str, str]:
        """What LanceDB needs to know to connect."""

    def child(self, name: str) -> Location:
        """The location `name` within this one."""

    def read(self, name: str) -> tuple[bytes, str] | None:
        """The content of a small object and its tag, None where there is none."""

    def write(self, name: str, data: bytes, tag: str | None) -> str:
        """Replace the content that has `tag` (None: there must be none), as a whole; return the tag of the new one.

        Raises:
            PreconditionFailedError: there is other content by now.
        """

    def claim(self, name: str) -> bool:
        """Make the child `name` this caller's own; False where it exists already."""

    def children(self, prefix: str) -> list[str]:
        """Names of the children whose names start with `prefix`."""

    def files(self) -> Iterator[tuple[str, int]]:
        """Every file or object below: its path from here, and its bytes."""

    def remove(self) -> None:
        """Delete everything below."""


def is_address(place: Path | str) -> TypeGuard[str]:
    """Whether `place` is the address of an index on S3, not a directory."""
    return isinstance(place, str) and place.startswith(_S3)


def location_of(place: Path | str) -> Location:
    """The location that `place` names: a path, or an address like `s3://BUCKET/PREFIX`.

    Raises:
        InvalidArgumentError: the address is none.
    """
    if is_address(place):
        from docshelf.index.s3_location import S3Location  # boto3 takes a while to import; a laptop has no use for it

        return S3Location.of(place)
    return LocalLocation(Path(place))


class LocalLocation:
    """A directory. Conditional writes are safe among processes that hold the writer's lock in turn."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    @property
    def name(self) -> str:
        """The directory's name."""
        return self.path.name

    @property
    def uri(self) -> str:
        """The directory's path."""
        return str(self.path)

    def storage_options(self) -> dict[str, str]:
        """None are needed."""
        return {}

    def child(self, name: str) -> LocalLocation:
        """The directory `name` in this one."""
        return LocalLocation(self.path / name)

    def read(self, name: str) -> tuple[bytes, str] | None:
        """Raises IndexUnavailableError where the file may not be read."""
        try:
            data = (self.path / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise IndexUnavailableError(f"The index at {self} cannot be read: {error.strerror}.") from error
        return data, hashlib.sha256(data).hexdigest()

    def write(self, name: str, data: bytes, tag: str | None) -> str:
        """Raises IndexUnavailableError where the file cannot be written."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=self.path)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                Path(temporary).chmod(0o644)
                self._put(Path(temporary), name, tag)
            finally:
                Path(temporary).unlink(missing_ok=True)
        except OSError as error:
            raise IndexUnavailableError(f"The index at {self} cannot be written: {error.strerror}.") from error
        return hashlib.sha256(data).hexdigest()

    def _put(self, temporary: Path, name: str, tag: str | None) -> None:
        if tag is None:
            try:
                (self.path / name).hardlink_to(temporary)  # unlike a rename, fails where a file exists
            except FileExistsError:
                raise written_by_another(self) from None
            return
        there = self.read(name)
        if there is None or there[1] != tag:
            raise written_by_another(self)
        temporary.replace(self.path / name)

    def claim(self, name: str) -> bool:
        """Raises IndexUnavailableError where the directory cannot be made."""
        try:
            (self.path / name).mkdir(parents=True)
        except FileExistsError:
            return False
        except OSError as error:
            raise IndexUnavailableError(f"The index at {self} cannot be made: {error.strerror}.") from error
        return True

    def children(self, prefix: str) -> list[str]:
        """Files are children too."""
        if not self.path.is_dir():
            return []
        return [item.name for item in self.path.iterdir() if item.name.startswith(prefix)]

    def files(self) -> Iterator[tuple[str, int]]:
        """A file that goes away meanwhile is left out."""
        for item in self.path.rglob("*"):
            try:
                if item.is_file():
                    yield item.relative_to(self.path).as_posix(), item.stat().st_size
            except FileNotFoundError:
                continue

    def remove(self) -> None:
        """What cannot be deleted stays."""
        shutil.rmtree(self.path, ignore_errors=True)


def written_by_another(location: Location) -> PreconditionFailedError:
    """The error of a write whose condition does not hold."""
    return PreconditionFailedError(f"Another process has written to the index at {location} first; try again.")
