"""Fixtures of the command's tests: ``mdmemctl`` in this process, against a fake daemon in an instance."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mdmem.cli.main import run
from mdmem_proto.messages import Empty, ProgressEvent, RootAddResult, RootListResult, SyncResult
from mdmem_testkit import wire_values as values
from mdmem_testkit.ctl import Ctl, Outcome
from mdmem_testkit.fake_daemon import FakeDaemon, Script
from mdmem_testkit.instances import endpoint_of

SCRIPT: Script = {
    "search": [values.SEARCH],
    "read": [values.READ],
    "outline": [values.OUTLINE],
    "preview": [values.PREVIEW],
    "list": [values.LISTING],
    "eval": [values.EVALUATION],
    "eval.draft": [values.DRAFT],
    "roots.add": [RootAddResult(root=values.TROUBLED_ROOT, created=True)],
    "roots.list": [RootListResult(roots=(values.TROUBLED_ROOT, values.ROOT))],
    "roots.remove": [Empty()],
    "roots.wait": [
        ProgressEvent("index", 0, 0),
        ProgressEvent("index", 10, 202),
        ProgressEvent("index", 202, 202),
        ProgressEvent("embed", 64, 9320),
        values.ROOT,
    ],
    "sync": [ProgressEvent("index", 1, 2), SyncResult(roots=(values.ROOT,))],
    "changes": [values.CHANGES],
    "models.list": [values.MODELS],
    "models.verify": [values.GEMMA_IN_USE],
    "models.use": [values.GEMMA_IN_USE],
    "models.download": [ProgressEvent("download", 0, 217_568_394), values.DOWNLOADED_GEMMA],
    "status": [values.STATUS],
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An instance without a daemon, which no command may start."""
    monkeypatch.setenv("MDMEM_HOME", str(tmp_path))
    monkeypatch.setenv("MDMEM_NO_START", "1")
    for name in ("NO_COLOR", "MDMEM_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def ctl(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> Ctl:
    """Run one command."""

    def ctl(*arguments: str) -> Outcome:
        code = run(arguments)
        out, err = capsysbinary.readouterr()
        return Outcome(code, out, err.decode())

    return ctl


@pytest.fixture
def daemon(home: Path) -> Iterator[FakeDaemon]:
    """A fake daemon for it, whose script a test may change."""
    with FakeDaemon.at(endpoint_of(home), SCRIPT) as daemon:
        yield daemon
