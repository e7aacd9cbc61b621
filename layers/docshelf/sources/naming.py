"""Keys of files in a folder, and which names are never documents."""

from __future__ import annotations

import os
import re

IGNORED_NAMES = frozenset(
    {
        # version control
        ".bzr", ".git", ".hg", ".jj", ".svn",
        # made by tools, from sources or downloads that are elsewhere
        ".docshelf", ".gradle", ".mypy_cache", ".nox", ".pytest_cache", ".ruff_cache", ".terraform", ".tox", ".venv",
        "__pycache__",
        # made by operating systems
        "$RECYCLE.BIN", ".Spotlight-V100", ".TemporaryItems", ".Trashes", ".fseventsd", "System Volume Information",
        "__MACOSX",
    }
)  # fmt: skip

_LITTER = re.compile(
    r"""\.DS_Store | Thumbs\.db | desktop\.ini
    | ~\$.*                 # an open Office document
    | \.~lock\..*\#         # an open LibreOffice document
    | \..*\.sw[a-z] | .*\.swp    # Vim
    | .*~ | \.\#.* | \#.*\#      # Emacs and others
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_MARK = "\ufffd"
_UNDECODED = re.compile("[\udc80-\udcff]")
_MARKED = re.compile(_MARK + "([0-9A-F]{2})")


def is_litter(name: str) -> bool:
    """Whether a file of this name is left behind by an editor or the operating system."""
    return _LITTER.fullmatch(name) is not None


def is_ignored(key: str) -> bool:
    """Whether nothing with this key is a document: it lies in an ignored directory or is named like one, or litter."""
    parts = key.split("/")
    return is_litter(parts[-1]) or not IGNORED_NAMES.isdisjoint(parts)


def key_of(path: str) -> str:
    """The key of a path relative to the folder: exactly its spelling, where that is text.

    A name that is not valid UTF-8 gets its stray bytes as U+FFFD and two hexadecimal digits, and so does a U+FFFD
    that really stands in a name: `path_of` gives every path back.
    """
    if os.sep != "/":
        path = path.replace(os.sep, "/")
    if path.isascii():
        return path
    text = os.fsencode(path).decode("utf-8", "surrogateescape")
    text = text.replace(_MARK, "".join(f"{_MARK}{byte:02X}" for byte in _MARK.encode()))
    return _UNDECODED.sub(lambda match: f"{_MARK}{ord(match.group()) - 0xDC00:02X}", text)


def path_of(key: str) -> str | None:
    """The relative path that has this key, or None where no path can have it."""
    if "\0" in key or any(part in {"", ".", ".."} for part in key.split("/")):
        return None
    try:
        # Every second piece is what the group matched: the digits of one byte.
        pieces = [
            bytes.fromhex(piece) if place % 2 else piece.encode() for place, piece in enumerate(_MARKED.split(key))
        ]
    except UnicodeEncodeError:
        return None
    path = os.fsdecode(b"".join(pieces))
    return path if key_of(path) == key else None
