from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

import pytest

import mdmem.link
from mdmem.errors import (
    ConnectionLostError,
    DaemonNotRunningError,
    DaemonUnavailableError,
    InvalidRequestError,
)
from mdmem.link.client import Client, connect, current_endpoint
from mdmem_proto import messages
from mdmem_proto.endpoint import Endpoint
from mdmem_proto.errors import ErrorCode
from mdmem_proto.limits import QUERY_CHARACTERS_MAX
from mdmem_proto.release import VERSION
from mdmem_testkit import wire_values as values
from mdmem_testkit.fake_daemon import Fail, FakeDaemon, HangUp, Script, Step
from mdmem_testkit.fake_mdmemd import environment


def client(**settings: object) -> Client:
    return connect(start=False, **settings)  # type: ignore[arg-type]


def once(first: Step, then: Step) -> Script:
    """A read that goes ``first`` once, and ``then`` ever after."""
    steps = [first]
    return {"read": lambda _params: [steps.pop() if steps else then]}


def test_every_method_sends_its_params_and_returns_its_result(endpoint: Endpoint) -> None:
    script: Script = {
        "search": [values.SEARCH],
        "read": [values.READ],
        "outline": [values.OUTLINE],
        "preview": [values.PREVIEW],
        "list": [values.LISTING],
        "roots.add": [messages.RootAddResult(root=values.ROOT, created=True)],
        "roots.list": [messages.RootListResult(roots=(values.ROOT,))],
        "roots.remove": [messages.Empty()],
        "roots.wait": [messages.ProgressEvent("embed", 1, 2), values.ROOT],
        "status": [values.STATUS],
    }
    progress: list[messages.ProgressEvent] = []
    with FakeDaemon.at(endpoint, script) as daemon, client() as asked:
        assert asked.search("q", roots=["uv"], limit=3, mode="keyword") == values.SEARCH
        assert asked.read("a.md", heading="A", root="uv", part=2, include_subsections=True) == values.READ
        assert asked.outline("a.md", root="uv") == values.OUTLINE
        assert asked.preview("/x/a.md", chunk_mode="header") == values.PREVIEW
        assert asked.list_documents(roots=["uv"], prefix="docs") == values.LISTING
        assert asked.add_root("/x/uv", name="uv", chunk_mode="window").created
        assert asked.list_roots() == (values.ROOT,)
        asked.remove_root("uv")
        assert asked.wait_root("uv", until="keyword", on_progress=progress.append) == values.ROOT
        assert asked.status() == values.STATUS
    assert progress == [messages.ProgressEvent("embed", 1, 2)]
    assert daemon.connections == 1
    assert daemon.requests == [
        ("search", messages.SearchParams(query="q", roots=("uv",), limit=3, mode="keyword")),
        ("read", messages.ReadParams("a.md", heading="A", root="uv", part=2, include_subsections=True)),
        ("outline", messages.OutlineParams("a.md", root="uv")),
        ("preview", messages.PreviewParams("/x/a.md", chunk_mode="header")),
        ("list", messages.ListParams(roots=("uv",), prefix="docs")),
        ("roots.add", messages.RootAddParams("/x/uv", name="uv", chunk_mode="window")),
        ("roots.list", messages.Empty()),
        ("roots.remove", messages.RootNameParams("uv")),
        ("roots.wait", messages.RootWaitParams("uv", until="keyword")),
        ("status", messages.Empty()),
    ]


def test_the_public_api_is_what_the_package_exports() -> None:
    assert (mdmem.link.connect, mdmem.link.Client) == (connect, Client)
    with pytest.raises(AttributeError, match="has no attribute 'other'"):
        mdmem.link.other  # noqa: B018


def test_each_public_method_says_what_it_gives() -> None:
    for name, method in inspect.getmembers(Client, inspect.isfunction):
        assert name.startswith("_") or method.__doc__, name


def test_s20_a_question_that_is_too_long_is_told_in_words(endpoint: Endpoint) -> None:
    longest = "文" * QUERY_CHARACTERS_MAX
    with FakeDaemon.at(endpoint, {"search": [values.SEARCH]}) as daemon, client() as asked:
        assert asked.search(longest) == values.SEARCH
        for ask in (lambda: asked.search(longest + "文"), lambda: asked.why_query(longest + "文", "a.md")):
            with pytest.raises(
                InvalidRequestError, match=r"^The question has 8,193 characters; 8,192 are allowed\.$"
            ):
                ask()
        assert len(daemon.requests) == 1


def test_a_request_that_is_safe_is_sent_again_after_a_lost_connection(endpoint: Endpoint) -> None:
    with FakeDaemon.at(endpoint, once(HangUp(), values.READ)) as daemon, client() as asked:
        assert asked.read("a.md") == values.READ
        assert daemon.connections == 2


def test_it_is_sent_again_once_only(endpoint: Endpoint) -> None:
    with FakeDaemon.at(endpoint, {"read": [HangUp()]}) as daemon, client() as asked:
        with pytest.raises(ConnectionLostError):
            asked.read("a.md")
        assert len(daemon.requests) == 2


def test_a_request_that_is_not_safe_is_not_sent_again(endpoint: Endpoint) -> None:
    with FakeDaemon.at(endpoint, {"roots.remove": [HangUp()]}) as daemon, client() as asked:
        with pytest.raises(
            ConnectionLostError, match=r"during roots\.remove, which may or may not have been"
        ):
            asked.remove_root("uv")
        assert len(daemon.requests) == 1


def test_a_client_outlives_a_restart_of_the_daemon(endpoint: Endpoint) -> None:
    with FakeDaemon.at(endpoint), client() as asked:
        asked.remove_root("a")
    with FakeDaemon.at(endpoint) as second, asked:
        asked.remove_root("b")
        assert second.requests == [("roots.remove", messages.RootNameParams("b"))]


def test_a_request_that_the_stopping_daemon_gave_up_is_sent_again(endpoint: Endpoint) -> None:
    script = once(Fail(ErrorCode.CANCELLED, "The request was cancelled."), values.READ)
    with FakeDaemon.at(endpoint, script) as daemon, client() as asked:
        assert asked.read("a.md") == values.READ
        assert daemon.connections == 2


def test_a_daemon_that_was_just_stopping_is_asked_again(endpoint: Endpoint) -> None:
    with FakeDaemon.at(endpoint, greeting=HangUp()) as daemon, client():
        assert daemon.connections == 2


def test_no_daemon_is_an_error_of_its_own(home: Path) -> None:
    with pytest.raises(DaemonNotRunningError) as raised:
        client()
    assert raised.value.exit_code == 3
    assert "mdmemctl start" in raised.value.remedy


def test_d3_a_home_that_cannot_hold_a_socket_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MDMEM_HOME", "relative/folder")
    with pytest.raises(DaemonUnavailableError, match="MDMEM_HOME must be an absolute path"):
        current_endpoint()


def test_d3_a_home_120_bytes_deep_gets_a_short_socket(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = home / ("d" * 60) / ("e" * 60)
    for name, value in environment(deep, "serve").items():
        monkeypatch.setenv(name, value)
    with connect() as asked:
        assert len(asked.socket_path) < 108
        asked.remove_root("a")
        asked.stop()


def test_d19_a_daemon_of_the_same_build_needs_no_notice(endpoint: Endpoint) -> None:
    with FakeDaemon.at(endpoint), client() as asked:
        assert asked.notice is None


@pytest.mark.parametrize(
    "other",
    [{"version": "0.0.1"}, {"interpreter": "/opt/other/bin/python3"}],
    ids=["version", "interpreter"],
)
def test_d19_a_daemon_of_another_build_is_told_with_the_remedy(
    endpoint: Endpoint, other: dict[str, Any]
) -> None:
    with FakeDaemon.at(endpoint, **other), client() as asked:
        notice = asked.notice
    assert notice is not None
    assert next(iter(other.values())) in notice
    assert VERSION in notice
    assert sys.executable in notice
    assert "mdmemctl stop" in notice


def test_stop_returns_when_the_process_has_ended(
    endpoint: Endpoint, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment(home, "serve").items():
        monkeypatch.setenv(name, value)
    with connect() as asked:
        asked.stop()
    with pytest.raises(DaemonNotRunningError):
        client()


def test_stop_of_a_daemon_that_has_gone_starts_none(
    endpoint: Endpoint, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment(home, "die").items():
        monkeypatch.setenv(name, value)
    with FakeDaemon.at(endpoint):
        asked = connect()
    with asked, pytest.raises(DaemonNotRunningError):
        asked.stop()


def test_a_daemon_whose_process_cannot_be_seen_is_not_asked_to_stop(endpoint: Endpoint) -> None:
    with FakeDaemon.at(endpoint, pid=2**22 - 1) as daemon, client() as asked:
        with pytest.raises(DaemonUnavailableError, match=r"process 4194303 cannot be watched from here"):
            asked.stop()
        assert daemon.requests == []


def test_a_daemon_that_does_not_stop_is_told(endpoint: Endpoint) -> None:
    # The fake's process is this one, so it does not end.
    with (
        FakeDaemon.at(endpoint),
        client(timeout_seconds=0.2) as asked,
        pytest.raises(DaemonUnavailableError, match=r"has not ended within 0\.2 s"),
    ):
        asked.stop()
