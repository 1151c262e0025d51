"""The state machine, cell by cell."""

import itertools
import typing

import msgspec
import pytest

from mdmem_proto.conversation import TRANSITIONS, AnyMessage, Conversation, McpMessage, Side, State
from mdmem_proto.envelope import Answer, Cancel, Event, Failure, Offer, Refusal, Reply, Request
from mdmem_proto.errors import LocalProtocolError
from mdmem_proto.limits import REQUESTS_IN_FLIGHT_MAX

RAW = msgspec.Raw(b"\x80")
OFFER = Offer(1, 3, "test", "0.1.0", 41)
ANSWER = Answer(2, "0.1.0", "key", (), "ready", 42, "/usr/bin/python3")
REFUSAL = Refusal(1, 1, "0.1.0", "Full.", "Wait.")
OPEN = Request(1, "mcp.open", RAW)
MESSAGES: dict[type[AnyMessage], AnyMessage] = {
    type(message): message
    for message in (
        OFFER,
        ANSWER,
        REFUSAL,
        Request(2, "search", RAW),
        Cancel(1),
        Reply(1, RAW),
        Failure(1, "internal", "x"),
        Event(1, "progress", RAW),
        McpMessage(b"{}"),
    )
}


def in_state(state: State) -> Conversation:
    """A conversation led to a state; where requests can be in flight, number 1 is."""
    conversation = Conversation()
    script: dict[State, list[tuple[Side, AnyMessage]]] = {
        State.OPENING: [],
        State.OFFERED: [(Side.CLIENT, OFFER)],
        State.READY: [(Side.CLIENT, OFFER), (Side.DAEMON, ANSWER), (Side.CLIENT, Request(1, "search", RAW))],
        State.SWITCHING: [(Side.CLIENT, OFFER), (Side.DAEMON, ANSWER), (Side.CLIENT, OPEN)],
        State.STREAM: [
            (Side.CLIENT, OFFER),
            (Side.DAEMON, ANSWER),
            (Side.CLIENT, OPEN),
            (Side.DAEMON, Reply(1, RAW)),
        ],
        State.CLOSED: [(Side.DAEMON, REFUSAL)],
    }
    for sender, message in script[state]:
        conversation.advance(sender, message)
    assert conversation.state is state
    return conversation


def test_the_table_knows_every_state_and_message() -> None:
    assert set(TRANSITIONS) == set(State)
    assert set(MESSAGES) == set(typing.get_args(AnyMessage))
    assert {kind for row in TRANSITIONS.values() for _, kind in row} == set(MESSAGES)


@pytest.mark.parametrize(("state", "sender", "kind"), list(itertools.product(State, Side, MESSAGES)))
def test_a_message_moves_on_or_is_out_of_place_and_changes_nothing(
    state: State, sender: Side, kind: type[AnyMessage]
) -> None:
    conversation = in_state(state)
    in_flight = dict(conversation.in_flight)
    following = TRANSITIONS[state].get((sender, kind))
    if following is not None:
        conversation.advance(sender, MESSAGES[kind])
        assert conversation.state is following
        return
    with pytest.raises(
        LocalProtocolError, match=f"The {sender} sent .* while the connection was {state}; due"
    ):
        conversation.advance(sender, MESSAGES[kind])
    assert conversation.state is state
    assert conversation.in_flight == in_flight


def test_what_is_due_is_named() -> None:
    with pytest.raises(LocalProtocolError, match="due from it: answer, refusal"):
        in_state(State.OFFERED).advance(Side.DAEMON, Reply(1, RAW))
    with pytest.raises(LocalProtocolError, match="due from it: nothing"):
        in_state(State.OFFERED).advance(Side.CLIENT, OFFER)


@pytest.mark.parametrize("end", [Reply(1, RAW), Failure(1, "cancelled", "x")])
def test_an_id_is_in_flight_until_its_one_end(end: AnyMessage) -> None:
    conversation = in_state(State.READY)
    conversation.advance(Side.DAEMON, Event(1, "progress", RAW))
    conversation.advance(Side.CLIENT, Cancel(1))
    with pytest.raises(LocalProtocolError, match="request 1 again before it had ended"):
        conversation.advance(Side.CLIENT, Request(1, "status", RAW))
    conversation.advance(Side.DAEMON, end)
    for message in (end, Event(1, "progress", RAW)):
        with pytest.raises(LocalProtocolError, match="request 1, which is not in flight"):
            conversation.advance(Side.DAEMON, message)
    conversation.advance(Side.CLIENT, Cancel(1))  # crossed the end
    conversation.advance(Side.CLIENT, Request(1, "status", RAW))
    assert conversation.in_flight == {1: "status"}


def test_requests_in_flight_have_a_limit() -> None:
    """X12."""
    conversation = in_state(State.READY)
    for request_id in range(2, REQUESTS_IN_FLIGHT_MAX + 1):
        conversation.advance(Side.CLIENT, Request(request_id, "search", RAW))
    with pytest.raises(LocalProtocolError, match="more than 64 requests at a time"):
        conversation.advance(Side.CLIENT, Request(999, "search", RAW))
    conversation.advance(Side.DAEMON, Reply(1, RAW))
    conversation.advance(Side.CLIENT, Request(999, "search", RAW))


def test_mcp_open_is_sent_alone() -> None:
    with pytest.raises(LocalProtocolError, match="while other requests were in flight"):
        in_state(State.READY).advance(Side.CLIENT, Request(2, "mcp.open", RAW))


def test_a_failed_mcp_open_leaves_the_connection_good() -> None:
    conversation = in_state(State.SWITCHING)
    conversation.advance(Side.DAEMON, Failure(1, "unavailable", "x"))
    conversation.advance(Side.CLIENT, OPEN)
    assert conversation.state is State.SWITCHING


@pytest.mark.parametrize("number", [0, 4])
def test_the_number_chosen_is_one_of_those_offered(number: int) -> None:
    conversation = in_state(State.OFFERED)
    with pytest.raises(
        LocalProtocolError, match=f"chose protocol {number}, and the client had offered 1 to 3"
    ):
        conversation.advance(Side.DAEMON, msgspec.structs.replace(ANSWER, protocol=number))
    assert conversation.state is State.OFFERED
