"""The questions that are kept for drafts."""

from __future__ import annotations

import json

import pytest

from mdmem_testkit.fake_clock import FakeClock
from mdmem_testkit.fake_files import FakeBlobs
from mdmemd.engine.question_log import NAME, QUESTION_CHARS_MAX, QUESTIONS_KEPT, WRITE_SECONDS, QuestionLog


def made(blobs: FakeBlobs, clock: FakeClock | None = None, *, is_on: bool = True) -> QuestionLog:
    return QuestionLog.load(blobs, clock or FakeClock(), is_on=is_on)


def saved(blobs: FakeBlobs) -> list[str]:
    questions: list[str] = json.loads(blobs.read(NAME))["questions"]
    return questions


def test_the_latest_stands_first_and_a_repetition_counts_once() -> None:
    log = made(FakeBlobs())
    for query in ("one", "two", " one  ", "", "x" * (QUESTION_CHARS_MAX + 1)):
        log.add(query)
    assert log.latest(5) == ("one", "two")
    assert log.latest(1) == ("one",)


def test_they_survive_a_restart() -> None:
    blobs = FakeBlobs()
    log = made(blobs)
    log.add("zoë \ud800?")
    log.save()
    assert made(blobs).latest(5) == ("zoë \ud800?",)


def test_only_so_many_are_kept() -> None:
    log = made(FakeBlobs())
    for number in range(QUESTIONS_KEPT + 1):
        log.add(f"question {number}")
    assert len(log.latest(QUESTIONS_KEPT + 1)) == QUESTIONS_KEPT
    assert "question 0" not in log.latest(QUESTIONS_KEPT)


def test_the_file_is_written_once_in_a_while() -> None:
    blobs, clock = FakeBlobs(), FakeClock()
    log = made(blobs, clock)
    log.add("one")
    with pytest.raises(FileNotFoundError):
        blobs.read(NAME)
    clock.advance(WRITE_SECONDS)
    log.add("two")
    assert saved(blobs) == ["one", "two"]
    log.add("three")
    assert saved(blobs) == ["one", "two"]
    log.save()
    assert saved(blobs) == ["one", "two", "three"]


def test_where_none_is_to_be_kept_none_is_and_the_old_ones_go() -> None:
    blobs = FakeBlobs()
    first = made(blobs)
    first.add("secret")
    first.save()
    log = made(blobs, is_on=False)
    assert saved(blobs) == []
    log.add("another")
    log.save()
    assert log.latest(5) == ()
    assert saved(blobs) == []


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"questions": 7}', b"\xff"])
def test_a_file_that_cannot_be_read_counts_as_empty(content: bytes) -> None:
    blobs = FakeBlobs()
    blobs.replace(NAME, content)
    log = made(blobs)
    assert log.latest(5) == ()
    log.add("one")
    log.save()
    assert saved(blobs) == ["one"]


def test_a_full_disk_fails_no_question() -> None:
    class FullDisk(FakeBlobs):
        def replace(self, name: str, content: bytes) -> None:
            raise OSError(28, "No space left on device")

    log = made(FullDisk())
    log.add("one")
    log.save()
    assert log.latest(5) == ("one",)
