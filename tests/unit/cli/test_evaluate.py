"""What ``eval`` asks of the daemon, and the files that it reads and writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem_proto.messages import EvalDraftParams, EvalParams
from mdmem_testkit import wire_values as values
from mdmem_testkit.ctl import Ctl
from mdmem_testkit.fake_daemon import FakeDaemon


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    path = tmp_path / "golden.json"
    path.write_text("\ufeff[zoë]", encoding="utf-8")
    return path


def test_the_content_of_the_file_is_sent(ctl: Ctl, daemon: FakeDaemon, golden: Path) -> None:
    outcome = ctl("eval", str(golden), "--root", "x", "--mode", "keyword", "--limit", "3", "--no-baselines")
    assert outcome.code == 0
    assert daemon.requests == [
        ("eval", EvalParams("[zoë]", roots=("x",), mode="keyword", limit=3, baselines=False))
    ]


def test_options_may_stand_before_the_file(ctl: Ctl, daemon: FakeDaemon, golden: Path) -> None:
    assert ctl("eval", "--limit", "3", str(golden)).code == 0
    assert daemon.requests == [("eval", EvalParams("[zoë]", limit=3))]


def test_a_run_that_was_saved_is_compared_with(ctl: Ctl, daemon: FakeDaemon, golden: Path) -> None:
    saved = golden.with_name("run.json")
    assert ctl("eval", str(golden), "--save", str(saved)).code == 0
    assert ctl("eval", str(golden), "--compare", str(saved)).code == 0
    assert daemon.requests[1] == ("eval", EvalParams("[zoë]", before=values.EVALUATION))


def test_nothing_is_asked_for_a_run_that_could_not_be_saved(
    ctl: Ctl, daemon: FakeDaemon, golden: Path, tmp_path: Path
) -> None:
    outcome = ctl("eval", str(golden), "--save", str(tmp_path / "none" / "run.json"))
    assert (outcome.code, daemon.requests) == (2, [])
    assert "cannot be written: there is no such folder.\nGive --save a file" in outcome.err


def test_files_that_cannot_be_are_named(ctl: Ctl, daemon: FakeDaemon, golden: Path, tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff")
    for arguments, code, sentence in [
        (["nowhere.json"], 4, "There is no file nowhere.json."),
        ([str(tmp_path)], 2, "Is a directory"),
        ([str(binary)], 2, "is no UTF-8 text"),
        ([str(golden), "--compare", str(golden)], 2, "is no saved run"),
        ([str(golden), "--save", str(tmp_path)], 2, "cannot be written"),
    ]:
        outcome = ctl("eval", *arguments)
        assert (outcome.code, sentence in outcome.err) == (code, True), outcome


def test_a_draft_is_the_file_itself(ctl: Ctl, daemon: FakeDaemon) -> None:
    outcome = ctl("eval", "draft", "--root", "x", "--questions", "7")
    assert outcome.out.decode() == values.DRAFT.golden
    assert daemon.requests == [("eval.draft", EvalDraftParams(roots=("x",), questions=7))]
