"""The order in which files are read."""

from __future__ import annotations

import pytest

from mdmemd.model import Fingerprint
from mdmemd.sync.read_queue import ReadQueue


def files(**ages: int) -> dict[str, Fingerprint]:
    return {name: Fingerprint(1, age, 1, 1, 1) for name, age in ages.items()}


def drain(queue: ReadQueue) -> list[str]:
    return [queue.take()[0] for _ in range(len(queue))]


def test_what_was_just_saved_comes_before_the_backlog_and_the_newest_first() -> None:
    """D17."""
    queue = ReadQueue()
    queue.put(files(old=1, new=9), fresh=False)
    queue.put(files(edit=5, later=6), fresh=True)
    assert queue.fresh == 2
    assert drain(queue) == ["later", "edit", "new", "old"]


def test_a_backlog_put_together_in_pieces_is_sorted_as_a_whole() -> None:
    queue = ReadQueue()
    queue.put(files(b=2, d=4), fresh=False)
    queue.put(files(a=1, c=3), fresh=False)
    queue.sort()
    assert drain(queue) == ["d", "c", "b", "a"]


def test_a_path_is_there_once_with_what_was_seen_last() -> None:
    queue = ReadQueue()
    queue.put(files(a=1), fresh=False)
    queue.put(files(a=2), fresh=True)
    assert (len(queue), "a" in queue) == (1, True)
    assert queue.take()[1].mtime_ns == 2
    with pytest.raises(KeyError):
        queue.take()


def test_what_is_discarded_is_not_read() -> None:
    queue = ReadQueue()
    queue.put(files(a=1, b=2), fresh=True)
    queue.discard("a")
    queue.discard("unknown")
    assert queue.paths() == ("b",)
    queue.clear()
    assert len(queue) == 0
