from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mdmem.errors import DaemonNotRunningError, DaemonUnavailableError
from mdmem.link import dial as dial_module
from mdmem.link import launch
from mdmem.link.client import connect
from mdmem.link.launch import dial_or_start
from mdmem_proto.endpoint import Endpoint
from mdmem_testkit.fake_daemon import FakeDaemon
from mdmem_testkit.fake_mdmemd import environment, starts

CEILING_SECONDS = 60.0


@pytest.fixture
def fake(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``python -m mdmemd`` is a fake that serves."""
    for name, value in environment(home, "serve").items():
        monkeypatch.setenv(name, value)
    return home


def behave(monkeypatch: pytest.MonkeyPatch, behaviour: str) -> None:
    monkeypatch.setenv("TEST_FAKE_MDMEMD", behaviour)


def test_a_running_daemon_is_used(endpoint: Endpoint, fake: Path) -> None:
    with FakeDaemon.at(endpoint), dial_or_start(endpoint):
        assert starts(fake) == 0


def test_a_daemon_is_started_where_there_is_none(endpoint: Endpoint, fake: Path) -> None:
    dial_or_start(endpoint).close()
    dial_or_start(endpoint).close()
    assert starts(fake) == 1


def test_d5_a_stale_socket_does_not_block_a_start(endpoint: Endpoint, fake: Path) -> None:
    os.makedirs(endpoint.run_folder)
    Path(endpoint.socket_path).touch()
    dial_or_start(endpoint).close()
    assert starts(fake) == 1


def test_d1_twenty_clients_at_once_start_one_daemon_and_all_are_answered(
    endpoint: Endpoint, fake: Path
) -> None:
    program = """
from mdmem.link import connect
with connect() as client:
    client.remove_root("x")
    print(client.daemon.pid)
"""
    clients = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        for _ in range(20)
    ]
    answers = [client.communicate(timeout=CEILING_SECONDS)[0] for client in clients]
    assert [client.returncode for client in clients] == [0] * 20
    assert len(set(answers)) == 1
    assert starts(fake) == 1


def test_d1_a_daemon_that_somebody_else_started_meanwhile_is_used(
    endpoint: Endpoint, fake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    behave(monkeypatch, "already_running")
    dials = 0
    real_dial = dial_module.dial

    def dial(*arguments: object) -> object:
        nonlocal dials
        dials += 1
        if dials == 3:  # the first after the start
            other.append(FakeDaemon.at(endpoint))
        return real_dial(*arguments)  # type: ignore[arg-type]

    other: list[FakeDaemon] = []
    monkeypatch.setattr(launch, "dial", dial)
    dial_or_start(endpoint).close()
    other[0].close()
    assert starts(fake) == 1


def test_a_daemon_that_does_not_listen_is_told(
    endpoint: Endpoint, fake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    behave(monkeypatch, "already_running")
    monkeypatch.setattr(launch, "_OTHER_DAEMON_SECONDS", 0.01)
    with pytest.raises(
        DaemonUnavailableError, match=r"it does not listen at .*mdmem.sock. It runs\."
    ) as raised:
        dial_or_start(endpoint)
    assert raised.value.remedy == "End it and try again."


def test_d10_a_failed_start_is_not_remembered(
    endpoint: Endpoint, fake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    behave(monkeypatch, "fail")
    for _ in range(3):
        with pytest.raises(
            DaemonUnavailableError, match=r"The daemon cannot start: The disk is full\."
        ) as raised:
            dial_or_start(endpoint)
        assert raised.value.remedy == "Free some."
    behave(monkeypatch, "serve")
    dial_or_start(endpoint).close()


@pytest.mark.parametrize("value", ["1", "yes"])
def test_nothing_is_started_where_the_environment_forbids_it(
    endpoint: Endpoint, fake: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("MDMEM_NO_START", value)
    with pytest.raises(DaemonNotRunningError):
        dial_or_start(endpoint)
    assert starts(fake) == 0
    assert not os.path.exists(endpoint.run_folder)


def test_nothing_is_started_where_the_caller_forbids_it(endpoint: Endpoint, fake: Path) -> None:
    with pytest.raises(DaemonNotRunningError):
        dial_or_start(endpoint, start=False)
    assert starts(fake) == 0


def test_what_the_daemon_starts_starts_no_daemon() -> None:
    assert launch._daemon_environment({"A": "b", "MDMEM_NO_START": ""}) == {"A": "b", "MDMEM_NO_START": "1"}


def test_r1_a_stopped_daemon_leaves_no_process_behind(endpoint: Endpoint, fake: Path) -> None:
    with connect() as client:
        pid = client.daemon.pid
        client.stop()
    # Our own child: it is gone altogether once somebody has waited for it.
    for thread in threading.enumerate():
        if thread.name == "mdmem-reap-daemon":
            thread.join(CEILING_SECONDS)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_daemon_of_a_session_with_another_run_folder_is_used(endpoint: Endpoint, fake: Path) -> None:
    """The daemon's lock file says where it listens."""
    with dial_or_start(endpoint):
        pass
    elsewhere = Endpoint(
        config_folder=endpoint.config_folder,
        data_folder=endpoint.data_folder,
        cache_folder=endpoint.cache_folder,
        run_folder=endpoint.run_folder + "2",
        log_path=endpoint.log_path,
        socket_path=endpoint.run_folder + "2/mdmem.sock",
    )
    Path(endpoint.lock_path).write_text(f"1\n{endpoint.socket_path}\n")
    with dial_or_start(elsewhere, start=False):
        pass
    assert starts(fake) == 1
    Path(endpoint.lock_path).write_text("1\nnonsense\n")
    with pytest.raises(DaemonUnavailableError):
        dial_or_start(elsewhere, start=False)
