"""The temporary directory that packed libraries are unpacked into.

Code is loaded from it, so nobody else may write there: it belongs to this user and is open to nobody else, or it is
not used. Processes share it; a lock keeps them from unpacking the same library twice. A library is complete once it
has its name: it is written under another one first. One that has another size than the store says is written anew.
"""

from __future__ import annotations

import fcntl
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from docshelf.errors import DocshelfError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_DIGITS = 16
_AT_ONCE = 1_048_576
_PRIVATE = 0o700


class PackedLibraryError(DocshelfError):
    """A packed library cannot be unpacked or loaded; without it nothing works."""

    code = "packed_library"


class UnpackedLibraries:
    """The libraries of `store` that were unpacked on this machine, by this user."""

    def __init__(self, store: Path, digest: str) -> None:
        """`digest` stands for everything in the store: stores that differ do not share a directory."""
        self._store = store
        name = f"docshelf-libraries-{os.geteuid()}-{digest[:_DIGITS]}"
        self.directory = Path(tempfile.gettempdir()) / name

    def provide(self, sizes: Mapping[str, int]) -> None:
        """Unpack the libraries whose paths and bytes are given, if they are not there.

        Raises:
            PackedLibraryError: the directory may be somebody else's, there is no room, or the store is damaged.
        """
        if not sizes:
            return
        try:
            self._make_directory()
            missing = self._missing(sizes)
            if missing:
                with self._locked():
                    for path in self._missing(sizes):
                        self._unpack(path, sizes[path])
        except OSError as error:
            raise PackedLibraryError(
                f"The libraries cannot be unpacked into {self.directory} ({error.strerror or error}): the function "
                f"needs {sum(sizes.values()) // _AT_ONCE + 1} MiB of room there."
            ) from error

    def _make_directory(self) -> None:
        try:
            self.directory.mkdir(_PRIVATE)
        except FileExistsError:
            found = self.directory.lstat()
            private = stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) == _PRIVATE
            if not private or found.st_uid != os.geteuid():
                raise PackedLibraryError(
                    f"{self.directory} is not a directory of this user alone, so no code is loaded from it: delete it."
                ) from None

    def _missing(self, sizes: Mapping[str, int]) -> list[str]:
        return [path for path, size in sizes.items() if _size(self.directory / path) != size]

    @contextmanager
    def _locked(self) -> Iterator[None]:
        descriptor = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _unpack(self, path: str, size: int) -> None:
        packed, target = self._store / f"{path}.zst", self.directory / path
        part = target.with_name(f"{target.name}.part")
        target.parent.mkdir(_PRIVATE, parents=True, exist_ok=True)
        if not packed.is_file():
            raise _damaged(packed)
        try:
            with zstd.open(packed, "rb") as source, part.open("wb", buffering=0) as sink:
                written = 0
                while written <= size and (piece := source.read1(_AT_ONCE)):
                    written += sink.write(piece)
        except (zstd.ZstdError, EOFError) as error:
            raise _damaged(packed) from error
        if written != size:
            raise _damaged(packed)
        part.replace(target)


def _size(path: Path) -> int | None:
    """Of a regular file; None where there is none."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _damaged(packed: Path) -> PackedLibraryError:
    return PackedLibraryError(f"{packed} is damaged: build the layers anew.")
