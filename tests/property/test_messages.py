"""Every message type encoded, read whole, byte by byte and with bytes too many; dialogues of two sessions."""

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mdmem_proto import envelope, messages
from mdmem_proto.conversation import McpMessage, State
from mdmem_proto.envelope import Answer, Cancel, Event, Failure, Offer, Refusal, Reply, Request
from mdmem_proto.errors import ErrorCode, RemoteProtocolError
from mdmem_proto.frames import encode_frame
from mdmem_proto.messages import METHODS, Empty, Message, ProgressEvent
from mdmem_proto.msgpack import unpack
from mdmem_proto.session import ClientSession, DaemonSession, decode_params, decode_result
from mdmem_testkit.wire import answer, messages_of, ready_pair, stream_pair

ALL = [
    kind
    for module in (messages, envelope)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Message) and kind is not Message
]
encode = msgspec.msgpack.encode
slow = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("kind", ALL)
@slow
@given(st.data())
def test_every_message_survives_encoding(kind: type[Message], data: st.DataObject) -> None:
    message = data.draw(messages_of(kind))
    packed = encode(message)
    again = msgspec.msgpack.decode(packed, type=kind)
    assert encode(again) == packed
    if msgspec.Raw not in {field.type for field in msgspec.structs.fields(kind)}:
        assert again == message
        assert unpack(packed) == msgspec.msgpack.decode(packed)
    with pytest.raises(msgspec.DecodeError):
        msgspec.msgpack.decode(packed + b"\xc0", type=kind)


def receiver_of(kind: type[Message]) -> ClientSession | DaemonSession:
    """A session in a state where a message of this kind with id 1 is due."""
    client, daemon = ready_pair()
    if kind is Offer:
        return DaemonSession()
    if kind in {Answer, Refusal}:
        client = ClientSession()
        client.offer(name="test", version="0.1.0", pid=41)
        return client
    if kind in {Request, Cancel}:
        return daemon
    client.request("status", Empty(), request_id=1)
    return client


def due(message: Any) -> Any:
    """The message with what the receiver checks put right."""
    if isinstance(message, Answer):
        return msgspec.structs.replace(message, protocol=1)
    return message if isinstance(message, Offer | Refusal) else msgspec.structs.replace(message, id=1)


@pytest.mark.parametrize("kind", [Offer, Answer, Refusal, Request, Cancel, Reply, Failure, Event])
@slow
@given(st.data())
def test_the_envelope_whole_and_byte_by_byte_and_with_trailing_bytes(
    kind: type[Message], data: st.DataObject
) -> None:
    packed = encode(due(data.draw(messages_of(kind))))
    frame = encode_frame(packed)

    whole = receiver_of(kind).receive(frame)
    assert [encode(each) for each in whole] == [packed]

    session = receiver_of(kind)
    by_byte = [message for byte in frame for message in session.receive(bytes((byte,)))]
    assert [encode(each) for each in by_byte] == [packed]

    session = receiver_of(kind)
    assert len(session.receive(frame + frame[:3])) == 1
    if session.state is not State.CLOSED:
        with pytest.raises(RemoteProtocolError, match="3 bytes into it"):
            session.close()

    with pytest.raises(RemoteProtocolError):
        receiver_of(kind).receive(encode_frame(packed + b"\xc0"))


@pytest.mark.parametrize("name", [name for name in METHODS if name != "mcp.open"])
@slow
@given(st.data())
def test_every_method_from_parameters_to_result(name: str, data: st.DataObject) -> None:
    method = METHODS[name]
    params, result = data.draw(messages_of(method.params)), data.draw(messages_of(method.result))
    client, daemon = ready_pair()
    request_id, sent = client.request(name, params)
    [request] = daemon.receive(sent)
    assert isinstance(request, Request)
    assert decode_params(request) == params
    [reply] = client.receive(daemon.reply(request_id, result))
    assert isinstance(reply, Reply)
    assert decode_result(reply, method.result) == result


STEPS = st.lists(
    st.tuples(st.sampled_from(["request", "cancel", "event", "reply", "fail"]), st.integers(0, 7)),
    max_size=40,
)


@settings(deadline=None)
@given(STEPS, st.integers(1, 40))
def test_a_dialogue_within_the_rules_is_understood_however_it_is_cut(
    steps: list[tuple[str, int]], piece_bytes: int
) -> None:
    """Both sides speak whenever they may; what they say arrives late and in pieces, but in order."""
    client, daemon = ClientSession(), DaemonSession()
    to_daemon, to_client = bytearray(client.offer(name="test", version="0.1.0", pid=41)), bytearray()
    said: list[str] = []
    heard: list[str] = []

    def deliver() -> None:
        for session, queue in ((daemon, to_daemon), (client, to_client)):
            while queue:
                piece = bytes(queue[:piece_bytes])
                del queue[:piece_bytes]
                heard.extend(
                    f"{type(each).__name__} {getattr(each, 'id', 0)}" for each in session.receive(piece)
                )

    deliver()
    to_client += answer(daemon)
    deliver()
    for action, pick in steps:
        theirs = daemon.in_flight[pick % len(daemon.in_flight)] if daemon.in_flight else None
        if action == "request":
            number, sent = client.request("status", Empty())
            to_daemon += sent
            said.append(f"Request {number}")
        elif action == "cancel":
            to_daemon += client.cancel(pick + 1)
            said.append(f"Cancel {pick + 1}")
        elif theirs is None:
            deliver()
        elif action == "event":
            to_client += daemon.event(theirs, "progress", data=ProgressEvent("index", 1, 2))
            said.append(f"Event {theirs}")
        elif action == "reply":
            to_client += daemon.reply(theirs, Empty())
            said.append(f"Reply {theirs}")
        else:
            to_client += daemon.fail(theirs, list(ErrorCode)[pick], message="x")
            said.append(f"Failure {theirs}")
    deliver()
    assert sorted(heard) == sorted(["Offer 0", "Answer 0", *said])
    assert client.in_flight == daemon.in_flight


@slow
@given(st.lists(st.tuples(st.booleans(), st.binary(max_size=300)), max_size=8))
def test_a_stream_carries_any_bytes(payloads: list[tuple[bool, bytes]]) -> None:
    client, daemon = stream_pair()
    for from_client, payload in payloads:
        speaker, listener = (client, daemon) if from_client else (daemon, client)
        assert listener.receive(speaker.mcp(payload)) == [McpMessage(payload)]
