"""Deletions of a segment."""

from __future__ import annotations

from mdmemd.index.deletions import Deletions


def test_frozen_deletions_do_not_follow_later_ones() -> None:
    deletions = Deletions()
    deletions.add(1, range(2, 5))
    before = deletions.frozen()
    deletions.add(0, range(2))
    assert before.live_documents(3).tolist() == [True, False, True]
    assert before.live_sections(6).tolist() == [True, True, False, False, False, True]
    assert deletions.frozen().live_documents(3).tolist() == [False, False, True]


def test_a_document_without_sections_can_be_deleted() -> None:
    deletions = Deletions()
    deletions.add(0, range(0))
    assert deletions.holds(0)
    assert (deletions.documents, deletions.sections) == (1, 0)
    assert deletions.frozen().live_sections(2).all()
