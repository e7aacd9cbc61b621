"""Zip files whose bytes depend on nothing but the names and the bytes of what is in them."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path

from docshelf.embedding.pinned_file import file_sha256
from docshelf.packed_libraries import SUFFIX

_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that the format has
_FILE = 0o100644
_UNIX = 3


@dataclass(frozen=True, slots=True)
class Archive:
    """A written archive. Sizes are in bytes; `content` is a digest of names and bytes, without their compression."""

    sha256: str
    content: str
    zipped: int
    unzipped: int


def write_archive(tree: Path, target: Path) -> Archive:
    """Write all files below `tree` into the zip file `target`: readable by everybody, in order, without a time.

    Raises OSError.
    """
    content, unzipped = hashlib.sha256(), 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted((each for each in tree.rglob("*") if each.is_file()), key=lambda each: each.as_posix()):
            name, data = path.relative_to(tree).as_posix(), path.read_bytes()
            archive.writestr(_entry(name), data)
            content.update(f"{name}\0{len(data)}\0".encode())
            content.update(hashlib.sha256(data).digest())
            unzipped += len(data)
    return Archive(file_sha256(target), content.hexdigest(), target.stat().st_size, unzipped)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _TIME)
    entry.create_system = _UNIX
    entry.external_attr = _FILE << 16
    entry.compress_type = zipfile.ZIP_STORED if name.endswith(SUFFIX) else zipfile.ZIP_DEFLATED
    return entry
