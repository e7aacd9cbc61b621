"""Keeps a parser's process from the network, other programs and processes, files that are no code of ours, and from
native functions that were not looked up at its start.

Python reports such steps of its own standard library before it takes them, and each is refused here. Native code within
a parser does not report what it does: behind this stand the limits of the process and the network of the machine.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

_REFUSED = (
    "ctypes.dlopen",
    "ctypes.dlsym",
    "os.chflags",
    "os.chmod",
    "os.chown",
    "os.exec",
    "os.fork",
    "os.kill",
    "os.link",
    "os.mkdir",
    "os.posix_spawn",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.setxattr",
    "os.spawn",
    "os.startfile",
    "os.symlink",
    "os.system",
    "os.truncate",
    "os.utime",
    "pty.spawn",
    "signal.pthread_kill",
    "socket.",
    "sqlite3.",
    "subprocess.",
    "urllib.Request",
)
_CHANGING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_READ_BY_THE_LIMITS = "/proc/self/statm"


def refuse_contact() -> None:
    """From now on, refuse this process whatever leads out of it; that cannot be taken back.

    What a parser then tries ends in PermissionError. Files below Python and the paths that it imports from can be read,
    so that modules which are loaded late are found; no other file can be opened, none written, made or removed.
    """
    sys.addaudithook(_refusal(_code_paths()))


def _refusal(readable: tuple[str, ...]) -> Callable[[str, tuple[object, ...]], None]:
    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event.startswith(_REFUSED) or (event == "open" and not _may_open(arguments, readable)):
            raise PermissionError(f"A parser may not do this: {event}.")

    return refuse


def _may_open(arguments: tuple[object, ...], readable: tuple[str, ...]) -> bool:
    """Whether to open a file by `path, mode, flags` only reads code; a number is of a file that is open."""
    path, _, flags = arguments
    if isinstance(path, int):
        return True
    if not isinstance(path, str | bytes) or (isinstance(flags, int) and flags & _CHANGING):
        return False
    place = _place(os.fsdecode(path))
    return place == _READ_BY_THE_LIMITS or f"{place}/".startswith(readable)


def _code_paths() -> tuple[str, ...]:
    """Where Python and what it imports lie, each with a `/` at its end; never the whole machine."""
    places = {_place(path) for path in (sys.prefix, sys.base_prefix, *sys.path)}
    return tuple(f"{place}/" for place in sorted(places) if place != os.sep)


def _place(path: str) -> str:
    """The path as it is written, from the root on: installers link single files of packages to a cache elsewhere."""
    return os.path.normpath(Path(path).absolute())
