"""The bookkeeping that lets a session outlive its daemon."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mdmem.mcp.conversation import CLIENT_INFO_KEY, INTERNAL_ERROR, PARSE_ERROR, REPLAY_ID, Conversation
from mdmem_testkit.shim import INITIALIZE, INITIALIZED, TOOLS


def line(message: Any) -> bytes:
    return json.dumps(message).encode()


def request(request_id: object, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def call(request_id: object, tool: str) -> dict[str, Any]:
    return request(request_id, "tools/call", name=tool, arguments={})


def drain(conversation: Conversation) -> list[Any]:
    """Everything that goes to the daemon now."""
    messages = []
    while (message := conversation.next_for_daemon()) is not None:
        messages.append(json.loads(message))
    assert conversation.outbox_bytes == 0
    return messages


def say(conversation: Conversation, *messages: Any) -> None:
    for message in messages:
        assert conversation.from_client(line(message)) is None


def answer(conversation: Conversation, request_id: object, **result: Any) -> bytes | None:
    return conversation.from_daemon(line({"jsonrpc": "2.0", "id": request_id, "result": result}))


def established() -> Conversation:
    """A session after handshake and listing."""
    conversation = Conversation()
    conversation.stream_opened()
    say(conversation, INITIALIZE, INITIALIZED, request("list", "tools/list"))
    drain(conversation)
    answer(conversation, 0)
    answer(conversation, "list", tools=TOOLS)
    assert not conversation.awaits_reply
    return conversation


def test_messages_pass_unchanged_and_in_order() -> None:
    conversation = Conversation()
    lines = [
        b'{"jsonrpc": "2.0",  "id":1,"method":"ping"}',
        b'{"method":"x"}',
        b"[1]",
        b"7",
        b'{"id":1,"result":{}}',
    ]
    for item in lines:
        assert conversation.from_client(item) is None
    assert [conversation.next_for_daemon() for _ in lines] == lines
    reply = b'{"jsonrpc":"2.0", "id":1,"result":{"a":"b"}}'
    assert conversation.from_daemon(reply) == reply
    assert not conversation.awaits_reply


def test_a_message_of_the_daemon_stays_one_line() -> None:
    assert Conversation().from_daemon(b'{"id":1,\n"result":{}}') == b'{"id":1, "result":{}}'


@pytest.mark.parametrize("strange", [b"nonsense", b"[" * 100_000, b"7"])
def test_a_strange_message_of_the_daemon_is_passed_on(strange: bytes) -> None:
    assert Conversation().from_daemon(strange) == strange


@pytest.mark.parametrize("bad", [b"{", b"nonsense", b"\xff\xfe{}", b"[" * 100_000, b'{"a":1}{"b":2}'])
def test_g5_a_line_that_is_no_json_is_answered_here(bad: bytes) -> None:
    conversation = Conversation()
    reply = json.loads(conversation.from_client(bad) or b"null")
    assert (reply["id"], reply["error"]["code"]) == (None, PARSE_ERROR)
    assert drain(conversation) == []


@pytest.mark.parametrize("blank", [b"", b"  ", b"\t\r"])
def test_g5_an_empty_line_is_nothing(blank: bytes) -> None:
    conversation = Conversation()
    assert conversation.from_client(blank) is None
    assert drain(conversation) == []


def test_the_client_is_known_by_its_name_in_both_eras() -> None:
    conversation = Conversation()
    say(conversation, INITIALIZE)
    assert conversation.client_name == "agent"
    conversation = Conversation()
    say(conversation, request(1, "server/discover", _meta={CLIENT_INFO_KEY: {"name": "\ud800" + "n" * 1000}}))
    assert conversation.client_name == "?" + "n" * 99


def test_a_new_daemon_gets_the_handshake_again_and_the_client_does_not_see_it() -> None:
    conversation = established()
    assert conversation.daemon_lost() == []
    conversation.stream_opened()
    say(conversation, request(7, "ping"))
    replayed, initialized, ping = drain(conversation)
    assert replayed == INITIALIZE | {"id": REPLAY_ID}
    assert initialized == INITIALIZED
    assert ping["id"] == 7
    assert answer(conversation, REPLAY_ID) is None
    assert answer(conversation, 7) is not None


def test_what_is_safe_to_repeat_is_asked_again() -> None:
    conversation = established()
    say(conversation, call(1, "search_docs"), request(2, "tools/list"), request("1", "ping"))
    say(conversation, call(3, "reindex"), request(4, "subscriptions/listen"))
    drain(conversation)
    assert conversation.daemon_lost() == []
    conversation.stream_opened()
    assert [message.get("id") for message in drain(conversation)] == [REPLAY_ID, None, 1, 2, "1", 3, 4]


@pytest.mark.parametrize("tool", ["remember", "plain", "unheard_of"])
def test_what_may_write_is_failed(tool: str) -> None:
    conversation = established()
    say(conversation, call(1, tool), request(2, "resources/subscribe"))
    drain(conversation)
    replies = [json.loads(reply) for reply in conversation.daemon_lost()]
    assert [reply["id"] for reply in replies] == [1, 2]
    assert all(reply["error"]["code"] == INTERNAL_ERROR for reply in replies)
    assert "may have done it or not" in replies[0]["error"]["message"]
    assert not conversation.awaits_reply


def test_what_was_not_sent_yet_is_not_failed() -> None:
    conversation = established()
    say(conversation, call(1, "remember"))
    assert conversation.daemon_lost() == []
    conversation.stream_opened()
    assert [message.get("id") for message in drain(conversation)] == [REPLAY_ID, None, 1]


def test_a_request_that_ends_two_daemons_is_failed() -> None:
    conversation = established()
    say(conversation, call(1, "search_docs"))
    drain(conversation)
    assert conversation.daemon_lost() == []
    conversation.stream_opened()
    drain(conversation)
    (reply,) = conversation.daemon_lost()
    assert "ended twice" in json.loads(reply)["error"]["message"]


def test_an_initialize_under_way_is_asked_again_and_not_replayed() -> None:
    conversation = Conversation()
    say(conversation, INITIALIZE)
    drain(conversation)
    assert conversation.daemon_lost() == []
    conversation.stream_opened()
    assert drain(conversation) == [INITIALIZE]
    assert answer(conversation, 0) is not None


def test_a_handshake_that_was_lost_unsent_is_not_repeated_twice() -> None:
    conversation = established()
    conversation.daemon_lost()
    conversation.stream_opened()
    conversation.daemon_lost()
    conversation.stream_opened()
    assert [message.get("id") for message in drain(conversation)] == [REPLAY_ID, None]


def test_an_unsent_initialized_goes_out_once() -> None:
    conversation = Conversation()
    say(conversation, INITIALIZE)
    drain(conversation)
    answer(conversation, 0)
    say(conversation, INITIALIZED)
    conversation.daemon_lost()
    conversation.stream_opened()
    assert drain(conversation) == [INITIALIZE | {"id": REPLAY_ID}, INITIALIZED]


def test_the_era_without_a_handshake_has_nothing_to_replay() -> None:
    conversation = Conversation()
    say(conversation, request(1, "server/discover"))
    drain(conversation)
    answer(conversation, 1)
    conversation.daemon_lost()
    conversation.stream_opened()
    assert drain(conversation) == []


def test_giving_up_answers_everything_once() -> None:
    conversation = established()
    say(conversation, call(1, "search_docs"))
    drain(conversation)
    say(conversation, request(2, "ping"), INITIALIZED)
    replies = [json.loads(reply) for reply in conversation.fail_all("No daemon.")]
    assert [(reply["id"], reply["error"]["message"]) for reply in replies] == [
        (1, "No daemon."),
        (2, "No daemon."),
    ]
    assert conversation.fail_all("Again.") == []
    assert drain(conversation) == []


def test_a_failed_initialize_is_not_replayed() -> None:
    conversation = Conversation()
    say(conversation, INITIALIZE)
    conversation.fail_all("No daemon.")
    conversation.stream_opened()
    assert drain(conversation) == []


def test_a_cancelled_request_is_forgotten() -> None:
    conversation = established()
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    say(conversation, call(1, "search_docs"))
    drain(conversation)
    say(conversation, cancel)
    assert drain(conversation) == [cancel]
    assert conversation.daemon_lost() == []
    assert not conversation.awaits_reply
    say(conversation, call(1, "search_docs"), cancel)
    assert drain(conversation) == [], "neither was sent yet"


def test_ids_of_every_kind() -> None:
    conversation = Conversation()
    say(conversation, request(1, "ping"), request("1", "ping"), request(True, "ping"), request([1], "ping"))
    answer(conversation, True)
    assert conversation.awaits_reply
    answer(conversation, 1)
    answer(conversation, "1")
    assert not conversation.awaits_reply


@pytest.mark.parametrize(
    "result", [None, [], {"tools": 7}, {"tools": [None, {"name": "a", "annotations": []}]}]
)
def test_a_strange_listing_teaches_nothing(result: Any) -> None:
    conversation = Conversation()
    say(conversation, request(1, "tools/list"))
    conversation.from_daemon(line({"jsonrpc": "2.0", "id": 1, "result": result}))
    say(conversation, call(2, "a"))
    drain(conversation)
    assert len(conversation.daemon_lost()) == 1
