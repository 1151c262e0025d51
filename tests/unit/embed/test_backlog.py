from __future__ import annotations

from mdmemd.embed.backlog import Backlog, Job
from mdmemd.model import UnembeddedPassage, VectorKey


def make_job(*, urgent: bool, passages: int = 1) -> Job:
    texts = [UnembeddedPassage(VectorKey(key), str(key)) for key in range(passages)]
    return Job.of(texts, urgent=urgent, deliver=lambda delivery: None)


def test_newest_edit_then_oldest_bulk() -> None:
    """D17."""
    backlog = Backlog()
    bulk_1, bulk_2 = make_job(urgent=False), make_job(urgent=False)
    edit_1, edit_2 = make_job(urgent=True), make_job(urgent=True)
    for job in (bulk_1, edit_1, bulk_2, edit_2):
        backlog.add(job)
    order = []
    while (job_ := backlog.next()) is not None:
        order.append(job_)
        backlog.discard(job_)
    assert order == [edit_2, edit_1, bulk_1, bulk_2]


def test_remaining_counts_all_jobs() -> None:
    backlog = Backlog()
    assert backlog.remaining == 0
    backlog.add(make_job(urgent=True, passages=2))
    backlog.add(make_job(urgent=False, passages=3))
    assert backlog.remaining == 5


def test_cancel_all() -> None:
    backlog = Backlog()
    jobs = [make_job(urgent=True), make_job(urgent=False)]
    for job in jobs:
        backlog.add(job)
    backlog.cancel_all()
    assert backlog.next() is None
    assert all(job.cancelled for job in jobs)


def test_discarding_an_unknown_job_is_nothing() -> None:
    Backlog().discard(make_job(urgent=True))


def test_what_is_taken_is_no_longer_of_its_job() -> None:
    """Also what stands in groups for the model; other owners' keys are others."""
    backlog = Backlog()
    texts = [UnembeddedPassage(VectorKey(key), str(key)) for key in range(6)]
    mine = Job.of(texts[:4], urgent=False, deliver=lambda delivery: None, owner=b"mine", made_by="model")
    other = Job.of(texts, urgent=True, deliver=lambda delivery: None, owner=b"other")
    backlog.add(mine)
    backlog.add(other)
    mine.groups.append([mine.passages.pop(VectorKey(2)), mine.passages.pop(VectorKey(3))])
    (taken,) = backlog.take(b"mine", [VectorKey(3), VectorKey(0), VectorKey(5)])
    assert sorted(taken.passages) == [0, 3]
    assert (taken.remaining, taken.made_by, taken.deliver) == (2, "model", mine.deliver)
    assert (list(mine.passages), [[each.key for each in group] for group in mine.groups]) == ([1], [[2]])
    assert backlog.remaining == 2 + 6
    assert not taken.groups
    backlog.take(b"mine", [VectorKey(1), VectorKey(2)])
    assert backlog.remaining == 6, "a job that is empty goes"
