"""Memory that was freed, and that the C library still holds. All this is glibc's; elsewhere nothing happens."""

from __future__ import annotations

import ctypes
import gc
import sys

LARGE_BLOCK_BYTES = 4 * 1_048_576
"""Of this size on, a block comes from the system and goes back to it. What a query is embedded with stays below."""
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8
_ARENAS = 2


def give_back_freed_memory() -> None:
    """Return to the system what lies free in the heap; worth its few milliseconds after a large load."""
    trim = _function("malloc_trim")
    if trim is not None:
        trim(0)


def keep_loaded_objects() -> None:
    """Let no later collection look at what was loaded so far: it stays for the life of the process anyhow.

    One that falls into the opening of the index takes it 60 ms otherwise.
    """
    gc.collect()
    gc.freeze()


def keep_heap_small() -> None:
    """Let every large block go back to the system as soon as it is freed, and threads share two heaps, from now on.

    glibc takes the first large block that is freed for a sign that more will come: from then on it holds blocks of up
    to that size (32 MB) in its heap, between smaller ones, where they stay. And it has eight heaps for every core.
    """
    set_option = _function("mallopt")
    if set_option is not None:
        set_option(_M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES)
        set_option(_M_ARENA_MAX, _ARENAS)


def _function(name: str) -> ctypes._NamedFuncPointer | None:
    if sys.platform != "linux":
        return None
    return getattr(ctypes.CDLL(None), name, None)
