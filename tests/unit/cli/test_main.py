from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from mdmem import errors
from mdmem.cli.commands import search as search_command
from mdmem_proto.errors import ErrorCode
from mdmem_proto.messages import Message, RootAddParams, SearchParams
from mdmem_testkit.ctl import Ctl
from mdmem_testkit.fake_daemon import Fail, FakeDaemon, StaySilent, Step

CEILING_SECONDS = 30.0


def spawn(*arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    """``mdmemctl`` as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "mdmem", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | environment,
    )


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [
        (ErrorCode.INVALID_REQUEST, 2),
        (ErrorCode.UNKNOWN_METHOD, 3),
        (ErrorCode.BUSY, 3),
        (ErrorCode.UNAVAILABLE, 3),
        (ErrorCode.NOT_FOUND, 4),
        (ErrorCode.AMBIGUOUS, 4),
        (ErrorCode.REFUSED, 5),
        (ErrorCode.TOO_LARGE, 5),
        (ErrorCode.INTERNAL, 70),
    ],
)
def test_c5_each_failure_has_its_exit_code(
    ctl: Ctl, daemon: FakeDaemon, code: ErrorCode, exit_code: int
) -> None:
    daemon.script["status"] = [Fail(code, "It failed.")]
    outcome = ctl("status", "--json")
    assert outcome.code == exit_code
    assert outcome.json["error"]["code"] == code
    assert outcome.err.startswith("mdmemctl: It failed.\n")


def test_each_error_code_of_the_wire_is_known() -> None:
    for code in ErrorCode:
        assert errors.from_failure(code, "").code == code
    assert errors._BY_CODE.keys() == set(ErrorCode)
    assert isinstance(errors.from_failure("of_a_later_protocol", ""), errors.InternalError)


@pytest.mark.parametrize(
    "arguments",
    [
        ["search"],
        ["search", "x", "--limit", "0"],
        ["search", "x", "--limit", "51"],
        ["search", "x", "--mode", "magic"],
        ["search", "--no-build-isolation"],
        ["read"],
        ["root", "add"],
        ["root", "add", "/src", "--wait=soon"],
        ["root", "add", "/src", "--wait", "keyword"],
        ["root", "remove"],
        ["completion", "tcsh"],
    ],
    ids=" ".join,
)
def test_c1_c7_a_wrong_command_line_is_an_error_with_the_way_to_help(
    ctl: Ctl, daemon: FakeDaemon, arguments: list[str]
) -> None:
    outcome = ctl(*arguments, "--json")
    assert outcome.code == 2
    assert outcome.json["error"]["code"] == "invalid_request"
    assert "--help` explains it." in outcome.err
    assert daemon.requests == []


def test_a_question_that_begins_with_a_dash_goes_behind_two(ctl: Ctl, daemon: FakeDaemon) -> None:
    assert "go behind --." in ctl("search", "--no-build").err
    assert ctl("search", "--limit", "3", "--", "--no-build", "--json").code == 0
    assert daemon.requests == [("search", SearchParams(query="--no-build --json", limit=3))]


def test_the_json_of_an_error_is_only_printed_where_it_was_asked_for(ctl: Ctl) -> None:
    assert ctl("search", "--", "--json").out == b""


def test_help_is_an_answer(ctl: Ctl) -> None:
    for arguments in (["--help"], [], ["root"], ["search", "-h"]):
        outcome = ctl(*arguments)
        assert outcome.code == 0
        assert outcome.out.startswith(b"Usage: mdmemctl")
    assert b"141" in ctl("--help").out


def test_x10_a_path_is_an_argument_and_never_a_command(
    ctl: Ctl, daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    hostile = "-r; $(touch x) `id` \n'\""
    assert ctl("root", "add", "--", hostile).code == 0
    assert daemon.requests == [("roots.add", RootAddParams(path=f"{tmp_path}/{hostile}"))]
    assert not (tmp_path / "x").exists()


def test_a_path_that_is_no_text_is_refused(ctl: Ctl, daemon: FakeDaemon) -> None:
    outcome = ctl("root", "add", "/src/\udcff")
    assert outcome.code == 2
    assert "is not Unicode text" in outcome.err


def test_c13_a_bug_is_one_sentence_with_type_place_and_next_step(
    ctl: Ctl, monkeypatch: pytest.MonkeyPatch, daemon: FakeDaemon
) -> None:
    def broken(*_arguments: object) -> str:
        raise ValueError

    monkeypatch.setattr(search_command, "render_search", broken)
    outcome = ctl("search", "x")
    assert outcome.code == 70
    assert "internal error: ValueError: (test_main.py:" in outcome.err.replace(":  (", ": (")
    assert "MDMEM_TRACEBACK=1" in outcome.err
    assert "Traceback" not in outcome.err
    monkeypatch.setenv("MDMEM_TRACEBACK", "1")
    with pytest.raises(ValueError):  # noqa: PT011 - it has no message
        ctl("search", "x")


def test_d19_a_daemon_of_another_build_is_told_beside_the_answer(ctl: Ctl, daemon: FakeDaemon) -> None:
    daemon.version = "0.0.1"
    outcome = ctl("status", "--json")
    assert outcome.code == 0
    assert outcome.json["model"]["name"]
    assert outcome.err.startswith("mdmemctl: the daemon is version 0.0.1 of ")
    assert outcome.err.count("\n") == 1
    assert ctl("status", "--json", "-q").err == ""


def test_c10_a_locale_without_unicode_gets_escapes(daemon: FakeDaemon) -> None:
    process = spawn("search", "x", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    out, err = process.communicate(timeout=CEILING_SECONDS)
    assert (process.returncode, err) == (0, b"")
    assert b"Python version \\U0001f40d:" in out
    process = spawn("search", "x", "--json", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert "🐍".encode() in process.communicate(timeout=CEILING_SECONDS)[0]


@pytest.mark.parametrize("form", ["--json", "--quiet"])
def test_c10_a_reader_that_has_gone_ends_it_quietly(daemon: FakeDaemon, form: str) -> None:
    process = spawn("search", "x", form)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=CEILING_SECONDS)
    assert (process.returncode, err) == (141, b"")


def test_ctrl_c_ends_it_without_a_traceback(daemon: FakeDaemon) -> None:
    asked = threading.Event()

    def search(_params: Message) -> Sequence[Step]:
        asked.set()
        return [StaySilent()]

    daemon.script["search"] = search
    process = spawn("search", "x")
    assert asked.wait(CEILING_SECONDS)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=CEILING_SECONDS)
    assert (process.returncode, out, err.strip()) == (130, b"", b"")


def test_output_that_cannot_be_written_is_an_error(daemon: FakeDaemon) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("only Linux has a device that is always full")
    with open("/dev/full", "wb") as full:
        process = subprocess.run(
            [sys.executable, "-m", "mdmem", "search", "x"],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=CEILING_SECONDS,
            check=False,
        )
    assert process.returncode == 70
    assert b"No space left on device" in process.stderr
