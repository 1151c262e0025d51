"""Two writes within one tick of the file system's clock."""

from __future__ import annotations

from mdmemd.model import Fingerprint
from mdmemd.sync.racy_files import RacyFiles


def changed_at(seconds: float) -> Fingerprint:
    return Fingerprint(1, 0, int(seconds * 1e9), 1, 1)


def test_a_file_read_at_once_is_racy_until_it_is_read_later() -> None:
    """W19."""
    racy = RacyFiles()
    racy.was_read("a.md", changed_at(100.001), at=100.01)
    assert "a.md" in racy
    racy.was_read("a.md", changed_at(100.001), at=100.5)
    assert "a.md" not in racy
    racy.was_read("a.md", changed_at(100.001), at=100.0)
    racy.discard("a.md")
    assert "a.md" not in racy


def test_whole_seconds_are_the_clock_of_a_coarse_file_system() -> None:
    racy = RacyFiles()
    racy.was_read("a.md", changed_at(100.0), at=101.5)
    assert "a.md" in racy


def test_a_clock_that_is_far_off_does_not_have_everything_read_for_ever() -> None:
    racy = RacyFiles()
    racy.was_read("a.md", changed_at(5000.001), at=100.0)
    assert "a.md" not in racy
