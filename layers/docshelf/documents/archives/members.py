"""What an archive or mail holds, and how its members are named."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from datetime import datetime

from docshelf.errors import DocumentError

SLICE_BYTES = 32_000_000
"""Members are handed on in slices of about so many bytes: one slice is in memory at a time."""

SLICE_MEMBERS = 200

_LONGEST_NAME = 400
_LONGEST_READ = 4_000
_LONGEST_EXTENSION = 20
_DRIVE = re.compile(r"[A-Za-z]:")
_STRANGE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Member:
    """One file within another; `size` in bytes. `data` is empty where an `error` is its state."""

    name: str
    data: bytes
    size: int
    modified_at: datetime | None = None
    error: DocumentError | None = None


@dataclass(frozen=True, slots=True)
class Members:
    """Members that follow each other, and whether there are more behind them."""

    members: tuple[Member, ...]
    more: bool


def member_name(name: str) -> str:
    """`name` as a path within what holds it, of at most 400 characters; empty where nothing of it is left.

    >>> member_name("..\\\\docs\\\\.\\\\a.md")
    'docs/a.md'
    """
    plain = _plain(_STRANGE.sub("\ufffd", name[:_LONGEST_READ].replace("\\", "/")))
    if len(plain) <= _LONGEST_NAME:
        return plain
    stem, extension = posixpath.splitext(plain)
    extension = extension[:_LONGEST_EXTENSION]
    return _plain(stem[: _LONGEST_NAME - len(extension)] + extension)  # a cut may leave a part that means nothing


def _plain(path: str) -> str:
    """`path` without a drive and without parts that name no file or folder; the same when it is asked again."""
    parts = [part for part in path.split("/") if part.strip() not in ("", ".", "..")]
    drives = 0
    while drives < len(parts) - 1 and _DRIVE.fullmatch(parts[drives]):
        drives += 1
    return "/".join(parts[drives:])
