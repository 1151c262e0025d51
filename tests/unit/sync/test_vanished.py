"""Documents whose files are gone for a moment."""

from __future__ import annotations

import math

from mdmemd.sync.vanished import GRACE_SECONDS, Vanished


def test_the_first_that_went_is_due_first() -> None:
    vanished = Vanished()
    assert vanished.due_at == math.inf
    vanished.note("a.md", content_hash=b"1", now=10.0)
    vanished.note("b.md", content_hash=b"2", now=11.0)
    vanished.note("a.md", content_hash=b"1", now=12.0)
    assert vanished.due_at == 10.0 + GRACE_SECONDS
    vanished.forget(("a.md", "unknown.md"))
    assert vanished.due_at == 11.0 + GRACE_SECONDS
    assert vanished.paths == ("b.md",)


def test_each_of_several_equal_files_moves_once() -> None:
    """S19."""
    vanished = Vanished()
    for name in ("a.md", "b.md"):
        vanished.note(name, content_hash=b"same", now=0.0)
    assert {vanished.moved(b"same"), vanished.moved(b"same")} == {"a.md", "b.md"}
    assert vanished.moved(b"same") is None
    assert not vanished
