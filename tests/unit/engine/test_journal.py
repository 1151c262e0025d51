"""A bounded memory of changes that says how far it reaches back."""

from __future__ import annotations

from mdmemd.engine.journal import Change, ChangeKind, Journal, Journals
from mdmemd.model import Tick


def change(tick: int) -> Change:
    return Change(Tick(tick), 1000.0 + tick, ChangeKind.CHANGED, f"{tick}.md")


def ticks(journal: Journal, since: int) -> list[int]:
    return [entry.tick for entry in journal.after_tick(since).entries]


def test_what_came_after_a_moment() -> None:
    journal = Journal(since=Tick(5), since_time=1005.0)
    journal.add(change(tick) for tick in (6, 6, 7, 9))
    assert ticks(journal, 6) == [7, 9]
    assert [entry.tick for entry in journal.after_time(1007.0).entries] == [7, 9]
    assert journal.after_tick(5).complete
    assert not journal.after_tick(4).complete
    assert journal.after_time(1006.0).complete
    assert not journal.after_time(1005.0).complete


def test_beyond_its_bound_the_oldest_are_forgotten_and_it_says_so() -> None:
    journal = Journal(since=Tick(0), since_time=0.0, entries_max=3)
    journal.add(change(tick) for tick in range(1, 6))
    assert ticks(journal, 0) == [3, 4, 5]
    assert not journal.after_tick(1).complete
    assert journal.after_tick(2).complete


def test_a_root_that_slept_keeps_its_journal_and_a_removed_one_does_not() -> None:
    journals = Journals()
    first = journals.begin("docs", since=Tick(1), since_time=1.0)
    assert journals.begin("docs", since=Tick(9), since_time=9.0) is first
    journals.end("docs")
    assert journals.of("docs") is None
    assert journals.begin("docs", since=Tick(9), since_time=9.0) is not first
