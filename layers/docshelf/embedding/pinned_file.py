"""What a file must be: its pinned size and hash, and how patiently it is fetched. Light to import."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from docshelf.errors import ModelUnavailableError

Progress = Callable[[int, int], None]
"""Called with the bytes that are here and the bytes that there will be."""

MOST_ATTEMPTS = 8


class HubUnreachableError(ModelUnavailableError):
    """No connection to the hub could be made at all."""


@dataclass(frozen=True, slots=True)
class Download:
    """What to fetch, where it goes, and what must arrive. `size` is in bytes."""

    url: str
    destination: Path
    size: int
    sha256: str

    @property
    def part(self) -> Path:
        """Where the bytes gather until they are complete and verified."""
        return self.destination.with_name(self.destination.name + ".part")


@dataclass(frozen=True, slots=True)
class Patience:
    """How often to try, in all and where no connection is made; `wait` is given the seconds between two attempts."""

    attempts: int = MOST_ATTEMPTS
    connections: int = 3
    wait: Callable[[float], None] = time.sleep


def file_sha256(path: Path) -> str:
    """The hexadecimal SHA-256 of the file's bytes. Raises OSError where it cannot be read."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
