"""What a process and those that it has started use, as Linux counts it."""

from __future__ import annotations

import os
import re
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
# Behind the name: CPU time of the process and of its children that have ended, in user code and in the kernel.
_CPU_FIELDS = slice(11, 15)


def family(pid: int) -> list[int]:
    """A process and those that it has started, and so on."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return [pid, *(one for child in children for one in family(int(child)))]


def cpu_seconds(pid: int) -> float:
    """CPU time of a family since it began, those that have ended included; counted in hundredths of a second."""
    ticks = 0
    for one in family(pid):
        fields = Path(f"/proc/{one}/stat").read_text("utf-8").rpartition(")")[2].split()
        ticks += sum(map(int, fields[_CPU_FIELDS]))
    return ticks / _TICKS


def resident_bytes(pid: int) -> int:
    """Memory that a family has: each process's resident set, shared pages counted in each."""
    return sum(_kilobytes(Path(f"/proc/{one}/status"), "VmRSS") for one in family(pid)) * 1024


def proportional_bytes(pid: int) -> int:
    """Memory that a family has, where a page that several processes share counts once in all."""
    return sum(_kilobytes(Path(f"/proc/{one}/smaps_rollup"), "Pss") for one in family(pid)) * 1024


def native_files(pid: int) -> set[Path]:
    """The libraries and extension modules that a process has mapped."""
    lines = Path(f"/proc/{pid}/maps").read_text("utf-8").splitlines()
    return {Path(found[0]) for line in lines if (found := re.search(r"/\S+\.so(\.[\d.]+)?$", line))}


def _kilobytes(file: Path, field: str) -> int:
    found = re.search(rf"^{field}:\s+(\d+) kB", file.read_text("utf-8"), re.MULTILINE)
    return int(found[1]) if found else 0
