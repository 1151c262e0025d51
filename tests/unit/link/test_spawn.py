from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mdmem.errors import DaemonUnavailableError
from mdmem.link import spawn
from mdmem.link.deadline import Deadline
from mdmem.link.spawn import StartReport, spawn_daemon
from mdmem_testkit.fake_mdmemd import environment

CEILING_SECONDS = 30.0


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., StartReport]:
    def start(behaviour: str, *, seconds: float = CEILING_SECONDS) -> StartReport:
        log_path = str(tmp_path / "mdmemd.log")
        return spawn_daemon(log_path, Deadline(seconds), environ=environment(tmp_path, behaviour))

    return start


def test_a_reason_is_passed_on(start: Callable[..., StartReport]) -> None:
    report = start("fail")
    assert not report.ready
    assert (report.kind, report.reason, report.remedy) == ("failed", "The disk is full.", "Free some.")


def test_a_daemon_that_dies_is_quoted_from_its_log(start: Callable[..., StartReport], tmp_path: Path) -> None:
    (tmp_path / "mdmemd.log").write_text("an old complaint\n")
    with pytest.raises(DaemonUnavailableError) as raised:
        start("die")
    assert str(raised.value) == (
        "The daemon ended before it was ready (exit status 7). It said:\n  a library is missing"
    )
    assert str(tmp_path / "mdmemd.log") in raised.value.remedy


def test_another_program_of_that_name_is_told(start: Callable[..., StartReport]) -> None:
    with pytest.raises(DaemonUnavailableError, match="does not report like one of this version"):
        start("nonsense")


def test_d9_a_start_without_an_end_is_given_up(start: Callable[..., StartReport], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "hold")
    with pytest.raises(
        DaemonUnavailableError, match=r"process \d+\) was started and is not ready after 0.1 s"
    ):
        start("hold", seconds=0.1)
    (tmp_path / "hold").open("wb").close()  # lets the fake end


def test_d6_a_log_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    log_path = str(tmp_path / "missing/mdmemd.log")
    with pytest.raises(DaemonUnavailableError, match=f"cannot be started: {log_path}: No such file"):
        spawn_daemon(log_path, Deadline(5), environ=environment(tmp_path, "die"))


def test_the_log_does_not_grow_for_ever(
    start: Callable[..., StartReport], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spawn, "LOG_BYTES_MAX", 10)
    (tmp_path / "mdmemd.log").write_text("more than ten bytes\n")
    with pytest.raises(DaemonUnavailableError):
        start("die")
    assert (tmp_path / "mdmemd.log").read_text() == "a library is missing\n"
    assert (tmp_path / "mdmemd.log.1").read_text() == "more than ten bytes\n"
