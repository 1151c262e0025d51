"""The pending set against a naive set of names, and the box that two threads share."""

from __future__ import annotations

import threading

from hypothesis import given
from hypothesis import strategies as st

from mdmemd.model import RootId
from mdmemd.ports import Hint
from mdmemd.sync.hint_box import HintBox
from mdmemd.sync.pending import PendingSet

names = st.lists(st.sampled_from(["a", "b", "a-b", "a0", "c.md"]), min_size=0, max_size=4).map("/".join)
hints = st.lists(st.builds(Hint, names, st.booleans()), max_size=30)


def is_covered(path: str, hints_: list[Hint]) -> bool:
    """Whether one of the hints says that the path may have changed."""
    for hint in hints_:
        inside = f"{hint.path}/".lstrip("/")
        if hint.path == path or ((hint.is_tree or not hint.path) and f"{path}/".startswith(inside)):
            return True
    return False


def as_hints(pending: PendingSet) -> list[Hint]:
    return [Hint(tree, is_tree=True) for tree in pending.trees] + [
        Hint(path, is_tree=False) for path in pending.paths
    ]


@given(hints, names)
def test_it_covers_exactly_what_was_hinted(given_hints: list[Hint], path: str) -> None:
    pending = PendingSet()
    for hint in given_hints:
        pending.add(hint)
    assert is_covered(path, as_hints(pending)) == is_covered(path, given_hints)
    assert len(pending) == len(set(as_hints(pending)))


@given(hints)
def test_nothing_is_held_twice(given_hints: list[Hint]) -> None:
    pending = PendingSet()
    for hint in given_hints:
        pending.add(hint)
    held = as_hints(pending)
    for hint in held:
        assert not is_covered(hint.path, [other for other in held if other != hint])


@given(hints, st.integers(1, 5))
def test_beyond_its_bound_it_is_one_tree_that_covers_all(given_hints: list[Hint], bound: int) -> None:
    """R4: a storm costs bounded memory."""
    pending = PendingSet(entries_max=bound)
    for hint in given_hints:
        pending.add(hint)
        assert len(pending) <= bound
    assert all(is_covered(hint.path, as_hints(pending)) for hint in given_hints)


def test_too_many_files_of_one_folder_become_that_folder() -> None:
    pending = PendingSet(entries_max=3)
    for number in range(5):
        pending.add(Hint(f"docs/deep/{number}.md", is_tree=False))
    assert (pending.trees, pending.paths) == (("docs/deep",), ())


@given(hints, hints)
def test_an_update_is_all_hints_of_both(first: list[Hint], second: list[Hint]) -> None:
    one, other, both = PendingSet(), PendingSet(), PendingSet()
    for hint in first:
        one.add(hint)
        both.add(hint)
    for hint in second:
        other.add(hint)
        both.add(hint)
    one.update(other)
    assert as_hints(one) == as_hints(both)


def test_it_is_emptied_piece_by_piece() -> None:
    pending = PendingSet()
    for path in ("b.md", "a.md", "c.md"):
        pending.add(Hint(path, is_tree=False))
    pending.add(Hint("sub", is_tree=True))
    assert pending.take_paths(2) == ["a.md", "b.md"]
    assert pending.take_tree() == "sub"
    assert pending.take_tree() is None
    assert pending.take_paths(2) == ["c.md"]
    assert not pending


def test_the_box_calls_once_a_burst_and_keeps_roots_apart() -> None:
    calls: list[None] = []
    box = HintBox(lambda: calls.append(None))
    for number in range(100):
        box.put(RootId(number % 2), Hint("a.md", is_tree=False))
    assert len(calls) == 1
    assert {root: pending.paths for root, pending in box.take().items()} == {0: ("a.md",), 1: ("a.md",)}
    assert not box
    box.put(RootId(1), Hint("b.md", is_tree=False))
    assert len(calls) == 2


def test_no_hint_is_lost_between_two_threads() -> None:
    arrived = threading.Event()
    box = HintBox(arrived.set)
    paths = [f"{number}.md" for number in range(2000)]

    def put() -> None:
        for path in paths:
            box.put(RootId(1), Hint(path, is_tree=False))

    thread = threading.Thread(target=put)
    thread.start()
    seen: set[str] = set()
    while len(seen) < len(paths):
        assert arrived.wait(60)
        arrived.clear()
        for pending in box.take().values():
            seen.update(pending.paths)
    thread.join()
    assert seen == set(paths)
