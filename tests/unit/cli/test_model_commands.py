"""``mdmemctl model``: what is asked of the daemon, and that nothing is fetched before somebody agreed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mdmem_proto.messages import Message, ModelDownloadParams, ModelNameParams
from mdmem_testkit.ctl import Ctl
from mdmem_testkit.fake_daemon import FakeDaemon


def asked(daemon: FakeDaemon, method: str) -> list[Message]:
    return [params for name, params in daemon.requests if name == method]


class Person:
    """Somebody at a terminal; ``answer`` is what is typed."""

    def __init__(self, answer: str) -> None:
        self._answer = answer

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        return self._answer


def test_yes_agrees_to_the_licence_that_is_shown(ctl: Ctl, daemon: FakeDaemon) -> None:
    done = ctl("model", "download", "embeddinggemma", "--yes")
    assert done.code == 0
    assert "Licence: Gemma Terms of Use, https://ai.google.dev/gemma/terms" in done.err
    assert "no open-source licence" in done.err
    assert "mdmemctl model use embeddinggemma" in done.err
    assert asked(daemon, "models.download") == [ModelDownloadParams("embeddinggemma", "Gemma Terms of Use")]


def test_nobody_to_ask_fetches_nothing(ctl: Ctl, daemon: FakeDaemon) -> None:
    done = ctl("model", "download", "embeddinggemma")
    assert done.code == 5
    assert "--yes" in done.err
    assert "Licence: Gemma Terms of Use" in done.err
    assert not asked(daemon, "models.download")


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 5), ("\n", 5)])
def test_a_person_is_asked(
    ctl: Ctl, daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    monkeypatch.setattr(sys, "stdin", Person(answer))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    done = ctl("model", "download", "embeddinggemma", "--quiet")
    assert done.code == code
    assert "Do you agree" in done.err
    assert len(asked(daemon, "models.download")) == (code == 0)


def test_what_is_not_downloaded_needs_no_licence(ctl: Ctl, daemon: FakeDaemon) -> None:
    ctl("model", "download", "all-MiniLM-L6-v2-int8")
    assert asked(daemon, "models.download") == [ModelDownloadParams("all-MiniLM-L6-v2-int8", "Apache-2.0")]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("embeddinggemma", "embeddinggemma"),
        ("./mine", "{cwd}/mine"),
        (".", "{cwd}"),
        ("models/mine", "{cwd}/models/mine"),
        ("/models/mine/", "/models/mine"),
        ("~/mine", "{home}/mine"),
    ],
)
def test_a_folder_is_named_by_its_full_path(
    ctl: Ctl, daemon: FakeDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")
    ctl("model", "use", name)
    assert asked(daemon, "models.use") == [ModelNameParams(expected.format(cwd=tmp_path, home="/home/me"))]


def test_verify_without_a_name_takes_all_that_are_here(ctl: Ctl, daemon: FakeDaemon) -> None:
    assert ctl("model", "verify").code == 0
    assert asked(daemon, "models.verify") == [ModelNameParams("all-MiniLM-L6-v2-int8")]


def test_pins_can_be_checked_by_others(ctl: Ctl, daemon: FakeDaemon) -> None:
    done = ctl("model", "pin", "embeddinggemma", "--json")
    assert done.json["revision"] == "5090578d9565bb06545b4552f76e6bc2c93e4a66"
    assert done.json["files"][0]["sha256"] == "ad1dfee8" * 8
