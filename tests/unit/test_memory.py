"""Memory goes back to the system, seen from a process of its own."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys
from pathlib import Path

import pytest

import docshelf
from docshelf.memory import keep_loaded_objects

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc holds freed memory back this way")

# Blocks of the C library, none of them Python's own, and each touched.
_START = """
import ctypes, re
from pathlib import Path
from docshelf.memory import give_back_freed_memory, keep_heap_small
c = ctypes.CDLL(None)
c.malloc.restype, c.malloc.argtypes, c.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
def resident_mb():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
def block(size):
    found = c.malloc(size)
    ctypes.memset(found, 1, size)
    return found
MB = 1024 * 1024
before = resident_mb()
"""
# A large block is freed once, and then one that the heap would keep below a small one.
_LARGE = (
    "c.free(block(30 * MB)); large = block(20 * MB); small = block(1000); c.free(large); print(resident_mb() - before)"
)
_SMALL = "blocks = [block(1000) for _ in range(40_000)]; last = block(1000); [c.free(each) for each in blocks];"


def printed(program: str) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", _START + program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(docshelf.__file__).parents[1])},
    )
    return [float(word) for word in done.stdout.split()]


def test_large_blocks_go_back_when_they_are_freed() -> None:
    assert printed(_LARGE)[0] > 18
    assert printed("keep_heap_small()\n" + _LARGE)[0] < 5


def test_what_lies_free_between_blocks_in_use_goes_back_when_asked_for() -> None:
    held, left = printed(
        _SMALL + "print(resident_mb() - before); give_back_freed_memory(); print(resident_mb() - before)"
    )
    assert held > 35
    assert left < 10


def test_collections_leave_out_what_was_loaded_before() -> None:
    before = gc.get_freeze_count()
    try:
        keep_loaded_objects()
        assert gc.get_freeze_count() > before + 1_000
    finally:
        gc.unfreeze()
