from __future__ import annotations

import subprocess
import sys

import pytest

from mdmem.link.deadline import Deadline
from mdmem.link.process_exit import ProcessExit

CEILING_SECONDS = 30.0


def test_tells_a_running_process_from_one_that_ended() -> None:
    program = [sys.executable, "-c", "input()"]
    with (
        subprocess.Popen(program, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process,
        ProcessExit(process.pid) as watch,
    ):
        assert not watch.wait(Deadline(0.01))
        assert process.stdin is not None
        process.stdin.close()
        assert watch.wait(Deadline(CEILING_SECONDS))


def test_d7_a_process_that_has_gone_cannot_be_watched() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait(CEILING_SECONDS)
    with pytest.raises(ProcessLookupError):
        ProcessExit(process.pid)
