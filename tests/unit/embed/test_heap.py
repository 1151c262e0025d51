from __future__ import annotations

import ctypes
import subprocess
import sys
from types import SimpleNamespace

import pytest

from mdmemd.embed.heap import ARENAS_MAX, release_free_memory, share_arenas


def test_calls_the_allocator_where_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace(malloc_trim=calls.append))
    release_free_memory()
    assert calls == [0]


def test_does_nothing_with_another_allocator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace())
    release_free_memory()


def test_runs_on_this_machine() -> None:
    release_free_memory()


PROGRAM = """
import ctypes, sys, threading
from mdmemd.embed.heap import share_arenas

if sys.argv[1] == "shared":
    share_arenas()
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
together = threading.Barrier(8)


def allocate():
    together.wait()
    for _ in range(200):
        libc.malloc(ctypes.c_size_t(5_000))
    together.wait()


threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
out = libc.fopen(b"/dev/stdout", b"w")
libc.malloc_info(0, ctypes.c_void_p(out))
libc.fclose(ctypes.c_void_p(out))
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="only glibc tells of its heaps")
def test_r2_threads_share_heaps() -> None:
    def heaps(how: str) -> int:
        command = [sys.executable, "-c", PROGRAM, how]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        return done.stdout.count("<heap ")

    assert heaps("shared") <= ARENAS_MAX < heaps("apart")


def test_shares_nothing_with_another_allocator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace())
    share_arenas()
