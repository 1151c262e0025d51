from __future__ import annotations

import socket

import pytest

from mdmem.errors import (
    ConnectionLostError,
    DaemonUnavailableError,
    InvalidRequestError,
    NotFoundError,
)
from mdmem.link import transport
from mdmem.link.deadline import Deadline
from mdmem.link.transport import Connection
from mdmem_proto.endpoint import Endpoint
from mdmem_proto.envelope import Event
from mdmem_proto.errors import ErrorCode
from mdmem_proto.messages import (
    Empty,
    ListParams,
    ListResult,
    ProgressEvent,
    ReadParams,
    ReadResult,
    RootWaitParams,
)
from mdmem_testkit.fake_daemon import Fail, FakeDaemon, HangUp, Refuse, StaySilent

TEXT = ReadResult(root="r", path="a.md", heading_path=("A",), part=None, lines=(1, 2), tokens=3, text="é\n")


def connected(socket_path: str) -> Connection:
    plain = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    plain.connect(socket_path)
    return Connection(plain, lock_path="/data/daemon.lock")


def read(connection: Connection, *, seconds: float = 30.0) -> ReadResult:
    return connection.call("read", ReadParams(path="a.md"), ReadResult, deadline=Deadline(seconds))


def test_a_result_comes_back_typed(endpoint: Endpoint) -> None:
    with FakeDaemon.at(endpoint, {"read": [TEXT]}) as daemon:
        connection = connected(endpoint.socket_path)
        assert connection.daemon.version == daemon.version
        assert read(connection) == TEXT
        assert read(connection) == TEXT
        assert daemon.requests == [("read", ReadParams(path="a.md"))] * 2
        connection.close()


def test_a_large_answer_arrives_in_many_pieces(endpoint: Endpoint) -> None:
    large = ReadResult(
        root="r", path="a.md", heading_path=(), part=None, lines=(1, 2), tokens=3, text="x" * 5_000_000
    )
    with FakeDaemon.at(endpoint, {"read": [large]}):
        connection = connected(endpoint.socket_path)
        assert read(connection) == large
        connection.close()


def test_a_failure_is_an_error_and_the_connection_stays(endpoint: Endpoint) -> None:
    failure = Fail(ErrorCode.AMBIGUOUS, "It fits two.", "Choose one.", ("A > B", "C > B"))
    with FakeDaemon.at(endpoint, {"read": [failure], "list": [Fail(ErrorCode.NOT_FOUND, "No such root.")]}):
        connection = connected(endpoint.socket_path)
        with pytest.raises(NotFoundError, match=r"It fits two\.") as raised:
            read(connection)
        assert (raised.value.code, raised.value.remedy) == ("ambiguous", "Choose one.")
        assert raised.value.candidates == ("A > B", "C > B")
        with pytest.raises(NotFoundError, match=r"No such root\."):
            connection.call("list", ListParams(), ListResult, deadline=Deadline(30))
        connection.close()


def test_events_are_passed_on_and_are_signs_of_life(endpoint: Endpoint) -> None:
    class Patience(Deadline):
        restarts = 0

        def restart(self) -> None:
            self.restarts += 1
            super().restart()

    steps = [ProgressEvent("index", 1, 2), ProgressEvent("index", 2, 2), Empty()]
    seen: list[Event] = []
    deadline = Patience(30)
    with FakeDaemon.at(endpoint, {"roots.wait": steps}):
        connection = connected(endpoint.socket_path)
        connection.call(
            "roots.wait", RootWaitParams(name="r"), Empty, deadline=deadline, on_event=seen.append
        )
        connection.close()
    assert [event.name for event in seen] == ["progress", "progress"]
    assert deadline.restarts == 2


def test_d9_a_daemon_that_accepts_and_never_greets_ends_with_advice(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "HANDSHAKE_TIMEOUT_SECONDS", 0.05)
    with (
        FakeDaemon.at(endpoint, greeting=StaySilent()),
        pytest.raises(DaemonUnavailableError, match=r"has been silent for 0\.05 s") as raised,
    ):
        connected(endpoint.socket_path)
    assert "/data/daemon.lock" in raised.value.remedy


def test_d9_a_daemon_that_never_answers_ends_with_advice_and_a_closed_connection(endpoint: Endpoint) -> None:
    with FakeDaemon.at(endpoint, {"read": [StaySilent()]}):
        connection = connected(endpoint.socket_path)
        with pytest.raises(DaemonUnavailableError, match=r"has been silent for 0\.05 s"):
            read(connection, seconds=0.05)
        assert not connection.is_open()


def test_a_refusal_is_told_with_both_versions(endpoint: Endpoint) -> None:
    refusal = Refuse("This daemon speaks protocol 7 only.", "Upgrade the client.")
    with (
        FakeDaemon.at(endpoint, version="9.9", greeting=refusal),
        pytest.raises(DaemonUnavailableError, match=r"version 9\.9.*protocol 7 only") as raised,
    ):
        connected(endpoint.socket_path)
    assert raised.value.remedy == "Upgrade the client."


def test_a_daemon_that_goes_away_is_a_lost_connection(endpoint: Endpoint) -> None:
    with FakeDaemon.at(endpoint, {"read": [HangUp()]}):
        connection = connected(endpoint.socket_path)
        with pytest.raises(ConnectionLostError):
            read(connection)


def test_an_idle_connection_knows_that_it_was_ended(endpoint: Endpoint) -> None:
    with FakeDaemon.at(endpoint, {"read": [TEXT]}) as daemon:
        connection = connected(endpoint.socket_path)
        assert connection.is_open()
        daemon.hang_up()
        with pytest.raises(ConnectionLostError):
            read(connection)
        assert not connection.is_open()


def test_something_that_is_no_daemon_is_told(endpoint: Endpoint) -> None:
    ours, theirs = socket.socketpair()
    theirs.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    with theirs, pytest.raises(DaemonUnavailableError, match="does not speak the protocol of this program"):
        Connection(ours, lock_path="")


def test_a_question_that_is_no_unicode_is_refused_here_and_the_connection_stays(endpoint: Endpoint) -> None:
    with FakeDaemon.at(endpoint, {"read": [TEXT]}):
        connection = connected(endpoint.socket_path)
        with pytest.raises(InvalidRequestError, match="is not Unicode text"):
            connection.call("read", ReadParams(path="\udcff.md"), ReadResult, deadline=Deadline(30))
        assert read(connection) == TEXT
        connection.close()


def test_an_interrupted_call_closes_the_connection(endpoint: Endpoint) -> None:
    def interrupt(_event: Event) -> None:
        raise KeyboardInterrupt

    with FakeDaemon.at(endpoint, {"roots.wait": [ProgressEvent("index", 1, 2), StaySilent()]}):
        connection = connected(endpoint.socket_path)
        with pytest.raises(KeyboardInterrupt):
            connection.call(
                "roots.wait", RootWaitParams(name="r"), Empty, deadline=Deadline(30), on_event=interrupt
            )
        assert not connection.is_open()
