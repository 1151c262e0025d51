"""The loop against a played daemon: every way in which client, daemon and streams can end or misbehave."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

import mdmem.mcp.connection
import mdmem.mcp.pump
from mdmem.errors import DaemonUnavailableError
from mdmem.mcp.conversation import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, REPLAY_ID
from mdmem.mcp.parent import LOOK_SECONDS
from mdmem.mcp.pump import ATTEMPTS_MAX, GRACE_SECONDS, LINE_BYTES_MAX
from mdmem_proto.frames import encode_frame
from mdmem_proto.messages import McpOpenParams
from mdmem_proto.release import VERSION
from mdmem_testkit.shim import CEILING_SECONDS, INITIALIZE, INITIALIZED, Shim, shake_hands

SEARCH = {"name": "search_docs", "arguments": {"query": "x"}}
REMEMBER = {"name": "remember", "arguments": {"text": "x"}}


def test_the_offer_says_who_asks() -> None:
    with Shim() as shim:
        offer = shim.daemon().greet()
        assert (offer.name, offer.version, offer.pid) == ("mdmem-mcp", VERSION, os.getpid())


def test_project_and_client_are_told_when_the_stream_is_opened(tmp_path: Path) -> None:
    with Shim(project=str(tmp_path)) as shim:
        daemon = shim.daemon()
        shake_hands(shim, daemon)
        assert daemon.opened_with == McpOpenParams(str(tmp_path), "agent", is_guess=False)
        daemon.write({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        assert shim.line()["method"] == "notifications/tools/list_changed"


def test_a_working_folder_is_told_as_a_guess() -> None:
    with Shim(project="") as shim:
        daemon = shim.daemon()
        shake_hands(shim, daemon)
        assert daemon.opened_with == McpOpenParams(os.getcwd(), "agent", is_guess=True)


def test_a_tool_set_is_told_to_every_daemon() -> None:
    with Shim(tools="markdex") as shim:
        daemon = shim.daemon()
        shake_hands(shim, daemon)
        daemon.die()
        shim.ask(1, "tools/list")
        again = shim.daemon().accept()
        for each in (daemon, again):
            assert each.opened_with is not None
            assert each.opened_with.tools == "markdex"


def test_g5_bad_lines_are_answered_and_the_session_goes_on() -> None:
    with Shim() as shim:
        daemon = shim.daemon()
        shake_hands(shim, daemon)
        shim.send(b"\n\r\n   \n{nonsense}\n")
        assert shim.line()["error"]["code"] == PARSE_ERROR
        shim.ask(1, "ping")
        assert daemon.read()["id"] == 1
        daemon.reply(1)
        assert shim.line() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_g5_a_message_in_pieces() -> None:
    with Shim() as shim:
        daemon = shim.daemon()
        shake_hands(shim, daemon)
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
        for byte in message + b"\r\n":
            shim.send(bytes((byte,)))
        assert daemon.read() == json.loads(message)


def test_g5_5_mb_in_both_directions() -> None:
    with Shim() as shim:
        daemon = shim.daemon()
        shake_hands(shim, daemon)
        text = "x" * 5_000_000
        shim.ask(1, "ping", text=text)
        assert daemon.read()["params"]["text"] == text
        daemon.reply(1, text=text)
        assert shim.line()["result"]["text"] == text


def test_g5_a_line_over_the_limit_is_refused_and_the_next_one_passes() -> None:
    with Shim() as shim:
        daemon = shim.daemon()
        shake_hands(shim, daemon)
        shim.send(b'{"a":"' + b"x" * LINE_BYTES_MAX + b'"}\n')
        assert shim.line()["error"]["code"] == INVALID_REQUEST
        shim.ask(1, "ping")
        assert daemon.read()["id"] == 1


def test_a_line_of_just_the_limit_fits_a_frame() -> None:
    with Shim() as shim:
        daemon = shim.daemon()
        shake_hands(shim, daemon)
        head, tail = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"', b'"}}'
        shim.send(head + b"x" * (LINE_BYTES_MAX - len(head) - len(tail)) + tail + b"\n")
        assert len(daemon.read()["params"]["a"]) == LINE_BYTES_MAX - len(head) - len(tail)


def test_the_session_outlives_its_daemon() -> None:
    with Shim() as shim:
        first = shim.daemon()
        shake_hands(shim, first)
        shim.ask(1, "tools/call", **SEARCH)
        shim.ask(2, "tools/call", **REMEMBER)
        assert [first.read()["id"], first.read()["id"]] == [1, 2]
        first.die()
        second = shim.daemon().accept()
        failed = shim.line()
        assert (failed["id"], failed["error"]["code"]) == (2, INTERNAL_ERROR)
        assert second.read() == INITIALIZE | {"id": REPLAY_ID}
        assert second.read() == INITIALIZED
        assert second.read()["id"] == 1
        second.reply(REPLAY_ID, protocolVersion="2025-06-18")
        second.reply(1, content=[])
        assert shim.line() == {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}


def test_an_idle_session_does_not_bring_a_stopped_daemon_back() -> None:
    with Shim() as shim:
        daemon = shim.daemon()
        shake_hands(shim, daemon)
        shim.played.is_up = False
        daemon.die()
        shim.send(b"nonsense\n")  # answered without a daemon, after the loss was seen
        assert shim.line()["error"]["code"] == PARSE_ERROR
        assert shim.played.starts.empty()
        shim.ask(1, "ping")
        shim.played.finish_start()
        again = shim.daemon().accept()
        assert [again.read().get("id") for _ in range(3)] == [REPLAY_ID, None, 1]


def test_the_daemon_is_started_and_what_was_said_meanwhile_is_kept() -> None:
    with Shim(is_up=False) as shim:
        shim.send(INITIALIZE)
        shim.ask(1, "tools/list")
        shim.played.finish_start()
        daemon = shim.daemon().accept()
        assert [daemon.read()["id"], daemon.read()["id"]] == [0, 1]


def test_a_failed_start_is_told_and_tried_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    with Shim(is_up=False) as shim:
        shim.send(INITIALIZE)
        shim.played.finish_start(DaemonUnavailableError("The disk is full.", remedy="Make room."))
        failed = shim.line()
        assert failed["id"] == 0
        assert failed["error"]["message"] == "mdmem is not available: The disk is full. Make room."
        shim.ask(1, "ping")
        assert shim.line()["error"]["message"] == failed["error"]["message"]
        assert shim.played.starts.empty(), "within the pause nothing is attempted"
        monkeypatch.setattr(mdmem.mcp.pump, "RETRY_PAUSE_SECONDS", 0.0)
        shim.ask(2, "ping")
        shim.played.finish_start()
        assert shim.daemon().accept().read()["id"] == 2


def test_a_refusal_is_told() -> None:
    with Shim() as shim:
        shim.send(INITIALIZE)
        shim.daemon().refuse(reason="Too old.", remedy="Upgrade.")
        assert shim.line()["error"]["message"] == "mdmem is not available: Too old. Upgrade."


def test_d9_a_daemon_that_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mdmem.mcp.connection, "HANDSHAKE_TIMEOUT_SECONDS", 0.05)
    with Shim() as shim:
        daemon = shim.daemon()
        shim.send(INITIALIZE)
        assert "does not answer" in shim.line()["error"]["message"]
        daemon.next()
        assert daemon.next() is None, "the connection is given back"


def test_something_else_listens() -> None:
    with Shim() as shim:
        shim.send(INITIALIZE)
        shim.daemon().write_raw(encode_frame(b"\x93nonsense"))
        assert "is not available" in shim.line()["error"]["message"]


def test_daemons_that_hang_up_are_not_tried_for_ever() -> None:
    with Shim() as shim:
        shim.send(INITIALIZE)
        for _ in range(ATTEMPTS_MAX):
            daemon = shim.daemon()
            assert daemon.next() is not None
            daemon.die()
        assert "times in a row" in shim.line()["error"]["message"]


def test_end_of_stdin_waits_for_replies_under_way() -> None:
    with Shim() as shim:
        daemon = shim.daemon()
        shake_hands(shim, daemon)
        shim.send(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')  # the last line has no end
        shim.close_stdin()
        assert daemon.read()["id"] == 1
        daemon.reply(1)
        assert shim.line()["id"] == 1
        shim.join()


def test_end_of_stdin_ends_an_idle_session_at_once() -> None:
    with Shim() as shim:
        shake_hands(shim, shim.daemon())
        shim.close_stdin()
        assert shim.join() < GRACE_SECONDS / 2


def test_end_of_stdin_ends_a_stuck_session_within_a_second() -> None:
    with Shim(is_up=False) as shim:
        shim.send(INITIALIZE)
        shim.close_stdin()
        assert GRACE_SECONDS / 2 < shim.join() < 1.0 + GRACE_SECONDS


def test_a_closed_stdout_ends_the_session() -> None:
    with Shim() as shim:
        daemon = shim.daemon()
        shake_hands(shim, daemon)
        shim.close_stdout()
        daemon.write({"jsonrpc": "2.0", "method": "notifications/message"})
        shim.join()


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="Linux only")
def test_a_dead_parent_ends_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    alive, life = os.pipe()
    monkeypatch.setattr(os, "pidfd_open", lambda _pid: alive)
    with Shim() as shim:
        shake_hands(shim, shim.daemon())
        os.close(life)  # readable now, as a pidfd is when its process has ended
        shim.join()
    os.close(alive)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="Linux only")
def test_where_the_kernel_does_not_tell_the_parent_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_pid: int) -> int:
        raise PermissionError

    monkeypatch.setattr(os, "pidfd_open", refuse)
    with Shim() as shim:
        shake_hands(shim, shim.daemon())
        monkeypatch.setattr(os, "getppid", lambda: 1 << 22)
        assert shim.join() < 2 * LOOK_SECONDS + 1.0


def test_a_client_that_reads_late_gets_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mdmem.mcp.pump, "QUEUE_BYTES_MAX", 1000)  # far less than is on its way
    count = 200
    with Shim() as shim:
        daemon = shim.daemon()
        shake_hands(shim, daemon)

        def answer_all() -> None:  # blocks as soon as the client is too far behind
            for number in range(count):
                assert daemon.read()["id"] == number
                daemon.reply(number, text="x" * 5_000)

        answering = threading.Thread(target=answer_all)
        answering.start()
        for number in range(count):
            shim.ask(number, "ping")
        assert [shim.line()["id"] for _ in range(count)] == list(range(count))
        answering.join(CEILING_SECONDS)
