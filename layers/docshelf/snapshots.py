"""Snapshots of an instance that has started: Lambda's SnapStart takes one and begins every later instance from it.

All instances then share what the first one had in memory. Before the snapshot everything is loaded that requests need;
after it, whatever must not be shared or may be out of date is made anew: connections, AWS clients with their
credentials, random state, and what is kept for a while by a clock that stands still in a snapshot.
"""

from __future__ import annotations

import os
import random
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

_TYPE = "AWS_LAMBDA_INITIALIZATION_TYPE"
_SNAP_START = "snap-start"
_DESCRIPTORS = Path("/proc/self/fd")
_ENTROPY_BYTES = 32


class Instance(Protocol):
    """What a function keeps between its requests."""

    def before_snapshot(self) -> None:
        """Load and open what requests need. What is raised keeps the version of the function from being published."""

    def after_restore(self) -> None:
        """Forget what may be out of date; the next request looks again."""


def outlive_snapshots(instance: Instance | None, environment: Mapping[str, str]) -> None:
    """Have Lambda prepare this process, and `instance` in it, for a snapshot, and renew both after each restore.

    Nothing is done in an environment in which no snapshot will be taken.
    """
    if environment.get(_TYPE) != _SNAP_START:
        return
    # Only now: it is part of Lambda's own runtime, and nowhere else.
    from snapshot_restore_py import register_after_restore, register_before_snapshot

    register_before_snapshot(_before_snapshot, instance)
    register_after_restore(_after_restore, instance)


def _before_snapshot(instance: Instance | None) -> None:
    if instance is not None:
        instance.before_snapshot()
    close_connections()
    from docshelf.memory import give_back_freed_memory, keep_loaded_objects  # no other start needs it

    keep_loaded_objects()
    give_back_freed_memory()  # every page of it would be stored, and read at each restore


def _after_restore(instance: Instance | None) -> None:
    renew_random_state()
    clients = sys.modules.get("docshelf.aws.clients")
    if clients is not None:  # a function that never needed AWS's library does not load it for this
        clients.forget_clients()
    if instance is not None:
        instance.after_restore()


def close_connections() -> None:
    """End every TCP connection of this process, whichever library holds it; nobody may be using one.

    After a restore the other side of each is gone. A library that finds its connection ended opens another at once;
    one that believes it open waits for an answer until its time is up.
    """
    for connection in _tcp_connections():
        with connection, suppress(OSError):  # it may have ended by itself meanwhile
            connection.shutdown(socket.SHUT_RDWR)


def _tcp_connections() -> Iterator[socket.socket]:
    """The TCP connections of this process as handles of ours; none where the system does not list descriptors."""
    descriptors = list(_DESCRIPTORS.iterdir()) if _DESCRIPTORS.is_dir() else []
    for descriptor in descriptors:
        try:
            if not str(descriptor.readlink()).startswith("socket:"):
                continue
            found = socket.socket(fileno=os.dup(int(descriptor.name)))
        except OSError:  # closed since it was listed
            continue
        tcp = found.family in (socket.AF_INET, socket.AF_INET6) and found.type == socket.SOCK_STREAM
        # On Linux a socket that listens would listen no more.
        if tcp and not found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            yield found
        else:
            found.close()


def renew_random_state() -> None:
    """Let this process draw other random numbers than the others that begin from the same snapshot.

    What asks the system for each number, as keys, nonces and identifiers of docshelf do, needs nothing.
    """
    random.seed()
    ssl = sys.modules.get("ssl")
    if ssl is not None:
        ssl.RAND_add(os.urandom(_ENTROPY_BYTES), float(_ENTROPY_BYTES))
