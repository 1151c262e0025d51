"""Both sides of a connection, with bytes between them (faults X12, D19)."""

import msgspec
import pytest

from mdmem_proto.conversation import McpMessage, State
from mdmem_proto.envelope import Answer, Cancel, Event, Failure, Offer, Refusal, Reply, Request
from mdmem_proto.errors import (
    ErrorCode,
    FrameTooLargeError,
    InvalidParamsError,
    LocalProtocolError,
    RemoteProtocolError,
    UnknownMethodError,
)
from mdmem_proto.frames import encode_frame
from mdmem_proto.limits import (
    FRAME_BYTES_MAX,
    HANDSHAKE_FRAME_BYTES_MAX,
    REQUEST_ID_MAX,
    REQUESTS_IN_FLIGHT_MAX,
)
from mdmem_proto.messages import (
    Empty,
    McpOpenParams,
    ProgressEvent,
    ReadParams,
    ReadResult,
    RootListResult,
    SearchParams,
)
from mdmem_proto.session import ClientSession, DaemonSession, decode_event, decode_params, decode_result
from mdmem_testkit.wire import answer, ready_pair, stream_pair

RAW = msgspec.Raw(b"\x80")
OFFER = Offer(1, 1, "test", "0.1.0", 41)


def frame(message: object) -> bytes:
    return encode_frame(msgspec.msgpack.encode(message))


def text(length: int) -> ReadResult:
    return ReadResult("r", "p", (), None, (1, 1), 1, "x" * length)


def test_the_handshake_shows_who_is_there() -> None:
    """D19: both sides learn the other's version, the client also the daemon's interpreter."""
    client, daemon = ClientSession(), DaemonSession()
    assert daemon.protocol is None
    assert daemon.receive(client.offer(name="test", version="0.1.0", pid=41)) == [OFFER]
    assert daemon.protocol == 1
    assert client.receive(answer(daemon)) == [
        Answer(1, "0.1.0", "0123456789abcdef", ("mcp",), "ready", 4242, "/usr/bin/python3")
    ]
    assert client.state is daemon.state is State.READY


def test_an_offer_without_a_common_number_can_only_be_refused() -> None:
    client, daemon = ClientSession(), DaemonSession()
    daemon.receive(client.offer(name="test", version="9.0", pid=41, protocol_min=8, protocol_max=9))
    assert daemon.protocol is None
    with pytest.raises(LocalProtocolError, match="has to be refused"):
        answer(daemon)
    sent = daemon.refuse(version="0.1.0", reason="This daemon speaks protocol 1.", remedy="mdmemctl stop")
    assert client.receive(sent) == [Refusal(1, 1, "0.1.0", "This daemon speaks protocol 1.", "mdmemctl stop")]
    assert client.state is daemon.state is State.CLOSED


def test_a_full_daemon_refuses_before_the_offer() -> None:
    client, daemon = ClientSession(), DaemonSession()
    offered = client.offer(name="test", version="0.1.0", pid=41)
    [refusal] = client.receive(daemon.refuse(version="0.1.0", reason="Full.", remedy="Wait."))
    assert isinstance(refusal, Refusal)
    assert daemon.receive(offered) == []


def test_several_requests_events_and_ends_out_of_order() -> None:
    client, daemon = ready_pair()
    first, sent_first = client.request("roots.wait", Empty())
    second, sent_second = client.request("search", SearchParams("q"))
    assert (first, second) == (1, 2)
    requests = daemon.receive(sent_first + sent_second)
    assert [(each.id, each.method) for each in requests if isinstance(each, Request)] == [
        (1, "roots.wait"),
        (2, "search"),
    ]
    assert daemon.in_flight == client.in_flight == (1, 2)
    received = client.receive(
        daemon.event(1, "progress", data=ProgressEvent("index", 3, 9))
        + daemon.reply(2, RootListResult(()))
        + daemon.fail(1, ErrorCode.NOT_FOUND, message="No root x.", remedy="Add it.", candidates=("y",))
    )
    event, reply, failure = received
    assert isinstance(event, Event)
    assert decode_event(event, ProgressEvent) == ProgressEvent("index", 3, 9)
    assert isinstance(reply, Reply)
    assert decode_result(reply, RootListResult) == RootListResult(())
    assert failure == Failure(1, "not_found", "No root x.", "Add it.", ("y",))
    assert not daemon.in_flight
    assert not client.in_flight


def test_cancel_reaches_the_daemon_and_the_request_still_ends_once() -> None:
    client, daemon = ready_pair()
    request_id, sent = client.request("search", SearchParams("q"))
    received = daemon.receive(sent + client.cancel(request_id))
    assert received[1] == Cancel(request_id)
    client.receive(daemon.fail(request_id, ErrorCode.CANCELLED, message="Cancelled."))
    with pytest.raises(LocalProtocolError, match="not in flight"):
        daemon.reply(request_id, Empty())


def test_ids_given_and_picked_do_not_collide() -> None:
    client, _ = ready_pair()
    assert client.request("status", Empty(), request_id=2)[0] == 2
    assert [client.request("status", Empty())[0] for _ in range(2)] == [1, 3]


@pytest.mark.parametrize("request_id", [-1, 0, REQUEST_ID_MAX + 1, 2**70])
def test_ids_out_of_range_are_refused_on_both_sides(request_id: int) -> None:
    client, daemon = ready_pair()
    with pytest.raises(LocalProtocolError, match="A request id is a number from 1"):
        client.request("status", Empty(), request_id=request_id)
    if request_id < 2**64:
        with pytest.raises(RemoteProtocolError, match="cannot be read"):
            daemon.receive(frame(Request(request_id, "status", RAW)))


def test_after_mcp_open_bytes_flow_both_ways() -> None:
    client, daemon = stream_pair()
    assert client.state is daemon.state is State.STREAM
    assert daemon.receive(client.mcp(b'{"a":1}') + client.mcp(b"")) == [
        McpMessage(b'{"a":1}'),
        McpMessage(b""),
    ]
    assert client.receive(daemon.mcp(b'{"b":2}')) == [McpMessage(b'{"b":2}')]
    with pytest.raises(LocalProtocolError, match="due from it: mcpmessage"):
        client.request("status", Empty())


def test_the_first_bytes_of_a_stream_may_come_with_its_opening() -> None:
    client, daemon = ready_pair()
    request_id, sent = client.request("mcp.open", McpOpenParams())
    daemon.receive(sent)
    reply, first = client.receive(daemon.reply(request_id, Empty()) + daemon.mcp(b"{}"))
    assert isinstance(reply, Reply)
    assert first == McpMessage(b"{}")


@pytest.mark.parametrize("body", [b"\x80", b"\xa2{}", b"\xc1", b"\xc4\x05{}"])
def test_an_envelope_on_a_stream_is_the_peers_error(body: bytes) -> None:
    client, daemon = stream_pair()
    for each in (client, daemon):
        with pytest.raises(RemoteProtocolError):
            each.receive(encode_frame(body))


def receive_in_steps(session: DaemonSession, data: bytes, step: int) -> None:
    for at in range(0, len(data), step):
        session.receive(data[at : at + step])


BREAKS: list[tuple[str, bytes, str]] = [
    ("request before the handshake", frame(Request(1, "status", RAW)), "sent request while .* opening"),
    (
        "request before the answer",
        frame(OFFER) + frame(Request(1, "status", RAW)),
        "request while .* offered",
    ),
    ("second offer", frame(OFFER) + frame(OFFER), "sent offer while the connection was offered"),
    ("a daemon's message", frame(Reply(1, RAW)), "cannot be read"),
    ("no type", frame({"id": 1}), "cannot be read"),
    ("unknown type", frame({"type": "gossip"}), "cannot be read"),
    ("not a map", frame([1, 2]), "cannot be read"),
    ("no msgpack", encode_frame(b"\xc1"), "cannot be read"),
    ("two values", encode_frame(msgspec.msgpack.encode(OFFER) + b"\xc0"), "trailing"),
    ("field missing", frame({"type": "offer", "protocol_min": 1}), "cannot be read"),
    (
        "field of a wrong type",
        frame(msgspec.structs.asdict(OFFER) | {"type": "offer", "pid": "x"}),
        "cannot be",
    ),
    ("not UTF-8", encode_frame(b"\x81\xa4type\xa5off\xffr"), "cannot be read"),
    ("nested too deep", encode_frame(b"\x81\xa1x" + b"\x91" * 60_000 + b"\xc0"), "cannot be read"),
    ("empty frame", b"\0\0\0\0", "announced a frame of 0 bytes"),
    ("HTTP", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "announced a frame of 542393671 bytes"),
    ("long before the handshake", (HANDSHAKE_FRAME_BYTES_MAX + 1).to_bytes(4, "little"), "1 to 65536"),
]


@pytest.mark.parametrize(("data", "reason"), [row[1:] for row in BREAKS], ids=[row[0] for row in BREAKS])
@pytest.mark.parametrize("step", [1, 1_000_000])
def test_what_a_client_must_not_send_is_one_error_with_a_sentence(
    data: bytes, reason: str, step: int
) -> None:
    """X12; whole and byte by byte."""
    daemon = DaemonSession()
    with pytest.raises(RemoteProtocolError, match=reason):
        receive_in_steps(daemon, data, step)
    assert daemon.state is State.CLOSED
    assert daemon.receive(data) == []
    daemon.close()


def test_the_long_frame_is_allowed_after_the_handshake() -> None:
    client, daemon = ready_pair()
    request_id, sent = client.request("read", ReadParams("p", heading="h" * HANDSHAKE_FRAME_BYTES_MAX))
    assert len(daemon.receive(sent)) == 1
    [reply] = client.receive(daemon.reply(request_id, text(FRAME_BYTES_MAX // 2)))
    assert isinstance(reply, Reply)
    assert decode_result(reply, ReadResult) == text(FRAME_BYTES_MAX // 2)


@pytest.mark.parametrize(
    "message",
    [Reply(5, RAW), Failure(5, "internal", "x"), Event(5, "progress", RAW)],
    ids=lambda m: type(m).__name__,
)
def test_a_client_refuses_ends_of_requests_that_it_did_not_make(message: object) -> None:
    client, _ = ready_pair()
    with pytest.raises(RemoteProtocolError, match="request 5, which is not in flight"):
        client.receive(frame(message))


def test_a_duplicate_id_and_a_request_too_many_are_the_clients_error() -> None:
    _, daemon = ready_pair()
    daemon.receive(frame(Request(1, "status", RAW)))
    with pytest.raises(RemoteProtocolError, match="request 1 again"):
        daemon.receive(frame(Request(1, "status", RAW)))
    _, daemon = ready_pair()
    with pytest.raises(RemoteProtocolError, match="more than 64 requests"):
        daemon.receive(
            b"".join(frame(Request(n, "status", RAW)) for n in range(1, REQUESTS_IN_FLIGHT_MAX + 2))
        )


def test_a_number_that_was_not_offered_is_the_daemons_error() -> None:
    client = ClientSession()
    client.offer(name="test", version="0.1.0", pid=41)
    with pytest.raises(RemoteProtocolError, match="chose protocol 7"):
        client.receive(frame(Answer(7, "v", "i", (), "ready", 1, "p")))


def test_a_reply_too_large_can_still_fail() -> None:
    client, daemon = ready_pair()
    request_id, sent = client.request("read", ReadParams("p"))
    daemon.receive(sent)
    with pytest.raises(FrameTooLargeError):
        daemon.reply(request_id, text(FRAME_BYTES_MAX))
    [failure] = client.receive(daemon.fail(request_id, ErrorCode.TOO_LARGE, message="Too large."))
    assert failure == Failure(request_id, "too_large", "Too large.")


def test_text_that_is_not_unicode_is_our_error_and_changes_nothing() -> None:
    client, daemon = ready_pair()
    with pytest.raises(LocalProtocolError, match=r"'\\udcff' is not Unicode text"):
        client.request("search", SearchParams("\udcff"))
    assert client.in_flight == ()
    daemon.receive(client.request("search", SearchParams("q"), request_id=7)[1])
    with pytest.raises(LocalProtocolError, match="not Unicode"):
        daemon.fail(7, ErrorCode.NOT_FOUND, message="\udcff")
    assert daemon.in_flight == (7,)


@pytest.mark.parametrize("kept", [1, 4, 20])
def test_an_end_within_a_frame_is_the_peers_error(kept: int) -> None:
    """X12."""
    client, daemon = ready_pair()
    _, sent = client.request("search", SearchParams("q"))
    assert daemon.receive(sent[:kept]) == []
    with pytest.raises(RemoteProtocolError, match=f"{kept} bytes into it"):
        daemon.close()
    assert daemon.state is State.CLOSED


def test_closing_is_final() -> None:
    client, _ = ready_pair()
    client.close()
    client.close()
    with pytest.raises(LocalProtocolError, match="while the connection was closed"):
        client.request("status", Empty())


def test_an_unknown_method_costs_only_its_request() -> None:
    client, daemon = ready_pair()
    [request] = daemon.receive(client.request("serch", Empty())[1])
    assert isinstance(request, Request)
    with pytest.raises(UnknownMethodError, match="no method 'serch'") as caught:
        decode_params(request)
    assert caught.value.candidates == ("search",)
    assert caught.value.remedy
    assert daemon.state is State.READY


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        (b"\x80", "missing required field `query`"),
        (b"\x90", "Expected `object`"),
        (msgspec.msgpack.encode({"query": 5}), r"Expected `str`, got `int` - at `\$.query`"),
        (msgspec.msgpack.encode({"query": "q", "limit": 51}), r"`int` <= 50 - at `\$.limit`"),
        (b"\x82\xa5query\xa1q\xa1x" + b"\x91" * 3_000_000 + b"\xc0", "recursion"),
    ],
)
def test_malformed_parameters_cost_only_their_request(params: bytes, reason: str) -> None:
    """X12: also a nest in a field that is only skipped."""
    with pytest.raises(InvalidParamsError, match=f"The parameters of search cannot be read: .*{reason}"):
        decode_params(Request(1, "search", msgspec.Raw(params)))


def test_a_result_or_event_of_another_shape_is_the_daemons_error() -> None:
    with pytest.raises(RemoteProtocolError, match="result of request 3 cannot be read"):
        decode_result(Reply(3, RAW), ReadResult)
    with pytest.raises(RemoteProtocolError, match="event 'progress' cannot be read"):
        decode_event(Event(3, "progress", RAW), ProgressEvent)
