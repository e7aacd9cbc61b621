"""Keeps a parser's process from the network, other programs, and libraries that it did not load at its start.

Python reports such steps of its own standard library before it takes them, and each is refused here. Native code within
a parser does not report what it does: behind this stand the limits of the process and the network of the machine.
"""

from __future__ import annotations

import sys

_REFUSED = (
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.system",
    "pty.spawn",
    "ctypes.dlopen",
    "urllib.Request",
)


def refuse_contact() -> None:
    """From now on, refuse this process whatever leads out of it; that cannot be taken back.

    What a parser then tries ends in PermissionError.
    """
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event.startswith(_REFUSED):
        raise PermissionError(f"A parser may not do this: {event}.")
