"""The states in which a file can be; every file of the source is in exactly one."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """`queued` is seen but not yet processed; only `indexed` is searchable; the rest say why not."""

    QUEUED = "queued"
    INDEXED = "indexed"
    EMPTY = "empty"
    ENCRYPTED = "encrypted"
    TOO_LARGE = "too large"
    UNSUPPORTED = "unsupported"
    FAILED = "failed"
