"""Keeps the C allocator from holding memory that nobody uses.

glibc keeps what was needed for a moment: 60 of 204 MB resident after the built-in model was loaded, 60 to
110 MB after it has embedded for a while. Other allocators return it by themselves, and there this does
nothing. A call takes a few milliseconds. Any thread.
"""

from __future__ import annotations

import ctypes
import sys

ARENAS_MAX = 2
_M_ARENA_MAX = -8
"""From glibc's ``malloc.h``."""


def release_free_memory() -> None:
    """``malloc_trim(0)`` where the C library has it."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def share_arenas() -> None:
    """Have all threads share a few heaps, where the C library is glibc; before they are started.

    By itself glibc gives each thread a heap of its own, and what one thread frees another cannot use.
    Measured with ``python tests/bench/bench_soak.py --edits 2500 --questions 2500``: 215 MB resident instead
    of 259.
    """
    if sys.platform == "linux":
        set_option = getattr(ctypes.CDLL(None), "mallopt", None)
        if set_option is not None:
            set_option(_M_ARENA_MAX, ARENAS_MAX)
