"""Limits that the parser's process puts on itself, as far as the system has them.

Linux enforces all of them. macOS does not enforce the limit on memory; CPU time and the parent's clock hold there
too. What limits cannot forbid, the network first of all, `guard` refuses.
"""

from __future__ import annotations

import contextlib
import math
import resource
from pathlib import Path

from docshelf.settings import Limits

_MEBIBYTE = 1_048_576
_OPEN_FILES = 64
_RETIRE_SHARE = 4
_LIFE_JOBS = 5


def fix_limits() -> None:
    """Forbid core dumps, writing files and starting processes; keep few files open."""
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _lower(resource.RLIMIT_NPROC, 0)


def limit_job(limits: Limits, mapped_at_start: int | None) -> None:
    """Allow `limits.parse_seconds` more of CPU, and `limits.parse_memory_mb` beyond what was mapped at the start."""
    _soft(resource.RLIMIT_CPU, math.ceil(used_seconds() + limits.parse_seconds))
    if mapped_at_start is not None:
        _soft(resource.RLIMIT_AS, mapped_at_start + limits.parse_memory_mb * _MEBIBYTE)


def mapped_bytes() -> int | None:
    """Bytes of address space that this process has mapped; None where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return None
    return pages * resource.getpagesize()


def used_seconds() -> float:
    """Seconds of CPU that this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def should_retire(limits: Limits, mapped_at_start: int | None, used: float) -> bool:
    """True once what is behind this process takes a good part of what the next document may use.

    That is memory which stays mapped between documents; and `used`, the seconds of CPU that documents took so far,
    since Linux enforces its limit by a count of ticks that drifts from the time it tells: after hours a document would
    be ended that has used hardly any.
    """
    if used > _LIFE_JOBS * limits.parse_seconds:
        return True
    mapped = mapped_bytes()
    if mapped is None or mapped_at_start is None:
        return False
    return (mapped - mapped_at_start) * _RETIRE_SHARE > limits.parse_memory_mb * _MEBIBYTE


def _lower(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    lowered = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (lowered, lowered))


def _soft(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))
