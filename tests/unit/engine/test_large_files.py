"""The queue of large files, stepped by hand."""

from __future__ import annotations

import errno

import pytest

from mdmem_testkit.fake_files import FakeFiles
from mdmem_testkit.fake_parser import FakeParser
from mdmemd.engine.file_reading import FileToRead, Outcome, Replaced, Unchanged, Unreadable
from mdmemd.engine.large_files import LargeFiles
from mdmemd.model import ChunkMode, IndexedFile
from mdmemd.sync.scan import TOO_LARGE
from mdmemd.sync.scope import FILE_BYTES_MAX


class Queue:
    """A queue over files in memory; ``outcomes`` is what was delivered."""

    def __init__(self, *, idle_seconds: float = 60.0) -> None:
        self.files = FakeFiles()
        self.parsers: list[FakeParser] = []
        self.outcomes: list[Outcome] = []
        self.large = LargeFiles(files=self.files, make_parser=self._make_parser, idle_seconds=idle_seconds)

    def wanted(self, path: str, *, known_hash: bytes | None = None) -> FileToRead:
        seen = self.files.fingerprint(f"/docs/{path}")
        return FileToRead("/docs", path, seen, known_hash, ChunkMode.AUTO)

    def submit(self, path: str, *, urgent: bool = False) -> FileToRead:
        wanted = self.wanted(path)
        self.large.submit(wanted, urgent=urgent, deliver=self.deliver)
        return wanted

    def deliver(self, wanted: FileToRead, outcome: Outcome) -> None:
        self.outcomes.append(outcome)

    def run(self) -> None:
        while self.large.step(timeout_seconds=0.0):
            pass

    def _make_parser(self) -> FakeParser:
        self.parsers.append(FakeParser())
        return self.parsers[-1]


@pytest.fixture
def queue() -> Queue:
    made = Queue()
    for name in "abc":
        made.files.write(f"/docs/{name}.md", f"# {name}\n")
    return made


def test_files_come_in_the_order_handed_in_and_those_that_are_waited_for_first(queue: Queue) -> None:
    queue.submit("a.md")
    queue.submit("b.md")
    queue.submit("c.md", urgent=True)
    queue.run()
    assert [outcome.path for outcome in queue.outcomes] == ["c.md", "a.md", "b.md"]
    assert len(queue.parsers) == 1


def test_what_comes_of_a_file_has_its_terms_and_its_hash(queue: Queue) -> None:
    queue.submit("a.md")
    queue.run()
    (first,) = queue.outcomes
    assert isinstance(first, IndexedFile)
    assert first.document.title == "a"
    assert first.terms is not None
    again = queue.wanted("a.md", known_hash=first.content_hash)
    queue.large.submit(again, urgent=False, deliver=queue.deliver)
    queue.run()
    assert queue.outcomes[1] == Unchanged("a.md", again.seen)
    assert queue.parsers[0].parsed == ["a.md"]


def test_a_file_taken_back_before_its_turn_is_never_read(queue: Queue) -> None:
    queue.large.cancel(queue.submit("a.md"))
    queue.run()
    assert queue.outcomes == []
    assert queue.files.reads == []


def test_whatever_happens_to_a_file_is_an_outcome(queue: Queue) -> None:
    queue.submit("a.md")
    queue.files.remove("/docs/a.md")
    queue.submit("b.md")
    queue.files.fail("/docs/b.md", errno.EACCES)
    queue.submit("c.md")
    queue.files.write("/docs/c.md", b"x" * (FILE_BYTES_MAX + 1))
    queue.run()
    gone, unreadable, larger = queue.outcomes
    assert isinstance(gone, Replaced)
    assert isinstance(unreadable, Unreadable)
    assert unreadable.problem.kind == "unreadable"
    assert isinstance(larger, Unreadable)
    assert (larger.problem, larger.is_passing) == (TOO_LARGE, False)


def test_a_bug_of_the_parser_costs_one_file_and_is_logged(
    queue: Queue, caplog: pytest.LogCaptureFixture
) -> None:
    queue.submit("a.md")
    queue.run()

    def fail() -> None:
        raise LookupError

    queue.parsers[0].meanwhile = fail
    queue.submit("b.md")
    queue.large.step(timeout_seconds=0.0)
    assert isinstance(queue.outcomes[1], Unreadable)
    assert "LookupError" in caplog.text
    queue.submit("c.md")
    queue.run()
    assert isinstance(queue.outcomes[2], IndexedFile)


def test_a_parser_that_cannot_run_leaves_the_file_unread(queue: Queue) -> None:
    queue.submit("a.md")
    queue.run()
    queue.parsers[0].fails_with = errno.EAGAIN
    queue.submit("b.md")
    queue.run()
    outcome = queue.outcomes[1]
    assert isinstance(outcome, Unreadable)
    assert outcome.problem.kind == "unparsed"


def test_an_idle_parser_is_closed_and_the_next_file_gets_another() -> None:
    queue = Queue(idle_seconds=0.01)
    queue.files.write("/docs/a.md", "# A\n")
    queue.submit("a.md")
    assert queue.large.step(timeout_seconds=None)
    assert queue.parsers[0].closed == 0
    assert not queue.large.step(timeout_seconds=None)  # waits for the idle time and no longer
    assert queue.parsers[0].closed == 1
    queue.submit("a.md")
    assert queue.large.step(timeout_seconds=None)
    assert [parser.closed for parser in queue.parsers] == [1, 0]


def test_a_step_that_waits_returns_when_woken_and_keeps_the_parser(queue: Queue) -> None:
    queue.submit("a.md")
    queue.run()
    queue.large.wake()
    assert not queue.large.step(timeout_seconds=None)
    assert queue.parsers[0].closed == 0


def test_close_ends_the_parser_and_takes_no_more_files(queue: Queue) -> None:
    queue.submit("a.md")
    queue.run()
    queue.submit("b.md")
    queue.large.close()
    queue.submit("c.md")
    queue.run()
    assert queue.parsers[0].closed == 1
    assert [outcome.path for outcome in queue.outcomes] == ["a.md"]


def test_close_in_the_middle_of_a_file_ends_that(queue: Queue) -> None:
    queue.submit("a.md")
    queue.files.before_next_read(queue.large.close)
    queue.run()
    assert isinstance(queue.outcomes[0], Unreadable)
    assert queue.parsers == []
