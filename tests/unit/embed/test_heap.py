from __future__ import annotations

import ctypes
from types import SimpleNamespace

import pytest

from mdmemd.embed.heap import release_free_memory


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
