"""Hostile bytes on a connection (fault X12).

Invariant: whatever bytes arrive, a receiver returns messages or raises ``RemoteProtocolError``, and nothing
else, and however they are cut it comes to the same end. Inputs are noise, and true dialogues with bytes
changed, lost, doubled or inserted. The run is bounded and its seed fixed; a failure prints the input.
"""

import random
from collections.abc import Callable

import msgspec
import pytest

from mdmem_proto.conversation import McpMessage
from mdmem_proto.envelope import Answer, Event, Failure, Offer, Refusal, Reply, Request
from mdmem_proto.errors import InvalidParamsError, RemoteProtocolError, UnknownMethodError
from mdmem_proto.frames import FrameReader, encode_frame
from mdmem_proto.mcp_stream import mcp_payload, read_answer, read_opened
from mdmem_proto.messages import Empty, McpOpenParams, ReadParams, SearchParams
from mdmem_proto.msgpack import unpack
from mdmem_proto.session import ClientSession, DaemonSession, decode_params
from mdmem_testkit.wire import answer

ROUNDS = 1500
Receiver = Callable[[bytes], list[object]]


def dialogue() -> tuple[bytes, bytes]:
    """What each side says in a whole life of a connection: to the daemon, to the client."""
    client, daemon = ClientSession(), DaemonSession()
    to_daemon, to_client = [client.offer(name="test", version="0.1.0", pid=41)], []
    daemon.receive(to_daemon[0])
    to_client.append(answer(daemon))
    client.receive(to_client[0])
    for method, params in (("search", SearchParams("q" * 40)), ("read", ReadParams("a.md", heading="A > B"))):
        request_id, sent = client.request(method, params)
        to_daemon.append(sent)
        daemon.receive(sent)
        to_client.append(daemon.reply(request_id, Empty()))
        client.receive(to_client[-1])
    request_id, sent = client.request("mcp.open", McpOpenParams(project="/src"))
    daemon.receive(sent)
    to_daemon += [sent, encode_frame(b"\xc4\x02{}")]
    to_client += [daemon.reply(request_id, Empty()), daemon.mcp(b"{}" * 100)]
    return b"".join(to_daemon), b"".join(to_client)


def daemon_receiver() -> Receiver:
    """A daemon that answers every offer and every request at once, as the server does."""
    session = DaemonSession()

    def receive(data: bytes) -> list[object]:
        messages = session.receive(data)
        for message in messages:
            if isinstance(message, Offer):
                if session.protocol is None:
                    session.refuse(version="0.1.0", reason="x", remedy="y")
                else:
                    answer(session)
            elif isinstance(message, Request):
                try:
                    decode_params(message)
                    session.reply(message.id, Empty())
                except (UnknownMethodError, InvalidParamsError) as error:
                    session.fail(message.id, error.code, message="x", candidates=error.candidates)
        return list(messages)

    return receive


def client_receiver() -> Receiver:
    """A client with requests in flight that match those of the dialogue."""
    session = ClientSession()
    session.offer(name="test", version="0.1.0", pid=41)
    ready = False
    ended = 0

    def receive(data: bytes) -> list[object]:
        nonlocal ready, ended
        messages = session.receive(data)
        for message in messages:
            if isinstance(message, Answer):
                ready = True
            elif isinstance(message, Reply | Failure):
                ended += 1
            else:
                assert isinstance(message, Refusal | Event | McpMessage)
        if ready and not session.in_flight and ended < 3:
            method, params = [
                ("search", SearchParams("q")),
                ("read", ReadParams("a")),
                ("mcp.open", McpOpenParams()),
            ][ended]
            session.request(method, params)
        return list(messages)

    return receive


def mutated(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at = rng.randrange(len(changed) + 1)
        match rng.randrange(5):
            case 0:
                changed[at : at + 1] = bytes((rng.randrange(256),))
            case 1:
                del changed[at : at + rng.randrange(9)]
            case 2:
                changed[at:at] = rng.randbytes(rng.randrange(9))
            case 3:
                changed[at:at] = changed[at : at + rng.randrange(60)]
            case 4:
                changed[at : at + 1] = rng.choice(
                    (b"\xc1", b"\xdf\xff\xff\xff\xff", b"\xdd\xff\xff\xff\xff", b"\xc6\xff")
                )
    return bytes(changed)


def in_pieces(data: bytes) -> list[bytes]:
    """The first frame, after which a correct peer waits for the answer, then seven bytes at a time."""
    first = 4 + int.from_bytes(data[:4], "little")
    return [data[:first], *(data[at : at + 7] for at in range(first, len(data), 7))]


def outcome(receiver: Receiver, pieces: list[bytes]) -> str | list[object]:
    """The messages that came out, or the sentence of the one error."""
    messages: list[object] = []
    try:
        for piece in pieces:
            messages += receiver(piece)
    except RemoteProtocolError as error:
        return str(error)
    return [msgspec.msgpack.encode(each) for each in messages]


@pytest.mark.parametrize("make", [daemon_receiver, client_receiver])
def test_mutated_dialogues_end_in_messages_or_the_one_error(make: Callable[[], Receiver]) -> None:
    rng = random.Random(20_24)
    original = dialogue()[0 if make is daemon_receiver else 1]
    outcomes = set()
    for _ in range(ROUNDS):
        data = mutated(rng, original)
        found = outcome(make(), in_pieces(data))
        assert outcome(make(), [bytes((byte,)) for byte in data]) == found, data
        outcomes.add(type(found))
    assert outcomes == {str, list}


@pytest.mark.parametrize("make", [daemon_receiver, client_receiver])
def test_the_unchanged_dialogue_is_understood(make: Callable[[], Receiver]) -> None:
    data = dialogue()[0 if make is daemon_receiver else 1]
    assert len(outcome(make(), [bytes((byte,)) for byte in data])) == 5


def test_noise_is_values_or_the_one_error() -> None:
    rng = random.Random(7)
    readers: list[Callable[[bytes], object]] = [
        unpack,
        mcp_payload,
        read_answer,
        lambda body: read_opened(body, request_id=1),
        daemon_receiver(),
        client_receiver(),
    ]
    refused = 0
    for _ in range(ROUNDS):
        noise = rng.randbytes(rng.randrange(1, 60))
        for reader in readers:
            try:
                reader(noise)
            except RemoteProtocolError:
                refused += 1
    assert refused > ROUNDS


def test_what_the_small_msgpack_reads_msgspec_reads_the_same() -> None:
    """Two readers of one format that disagree would be a way past one of them."""
    rng = random.Random(11)
    seeds = [body for side in dialogue() for body in bodies(side)]
    read = 0
    for _ in range(ROUNDS):
        data = mutated(rng, rng.choice(seeds))
        try:
            value = unpack(data)
        except RemoteProtocolError:
            continue
        read += 1
        assert repr(msgspec.msgpack.decode(data)) == repr(value), data
    assert read


def bodies(data: bytes) -> list[bytes]:
    reader = FrameReader()
    reader.feed(data)
    found = []
    while (body := reader.next()) is not None:
        found.append(body)
    return found
