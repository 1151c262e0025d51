"""The shim's own way of speaking, which must equal that of the sessions."""

import subprocess
import sys

import msgspec
import pytest

from mdmem_proto.envelope import Failure, Offer, Refusal, Reply, Request
from mdmem_proto.errors import (
    DeclinedError,
    ErrorCode,
    FrameTooLargeError,
    LocalProtocolError,
    RemoteProtocolError,
)
from mdmem_proto.frames import encode_frame
from mdmem_proto.limits import FRAME_BYTES_MAX, REQUEST_ID_MAX
from mdmem_proto.mcp_stream import (
    mcp_frame,
    mcp_open_frame,
    mcp_payload,
    offer_frame,
    read_answer,
    read_opened,
)
from mdmem_proto.messages import Empty, McpOpenParams
from mdmem_proto.session import ClientSession, DaemonSession, decode_params
from mdmem_testkit.wire import answer, ready_pair

encode = msgspec.msgpack.encode


def body_of(frame: bytes) -> bytes:
    return frame[4:]


@pytest.mark.parametrize("pid", [1, 127, 128, 70_000, 2**22])
@pytest.mark.parametrize("name", ["mdmem-mcp", "", "ä" * 40])
def test_the_offer_equals_that_of_a_session(name: str, pid: int) -> None:
    sent = offer_frame(name=name, version="0.1.0", pid=pid)
    assert sent == ClientSession().offer(name=name, version="0.1.0", pid=pid)


def test_the_offer_carries_any_range() -> None:
    sent = offer_frame(name="n", version="v", pid=1, protocol_min=2, protocol_max=300)
    assert msgspec.msgpack.decode(body_of(sent), type=Offer) == Offer(2, 300, "n", "v", 1)


@pytest.mark.parametrize("project", ["", "/src", "/" + "ä" * 300])
@pytest.mark.parametrize("client", ["", "claude-code"])
@pytest.mark.parametrize("request_id", [1, 200, REQUEST_ID_MAX])
@pytest.mark.parametrize("is_guess", [True, False])
@pytest.mark.parametrize("tools", ["", "markdex"])
def test_mcp_open_equals_that_of_a_session(
    project: str, client: str, request_id: int, tools: str, *, is_guess: bool
) -> None:
    session, _ = ready_pair()
    params = McpOpenParams(project=project, client=client, is_guess=is_guess, tools=tools)
    _, sent = session.request("mcp.open", params, request_id=request_id)
    frame = mcp_open_frame(
        request_id=request_id, project=project, client=client, is_guess=is_guess, tools=tools
    )
    assert frame == sent


@pytest.mark.parametrize("length", [0, 255, 256, 65_535, 65_536, FRAME_BYTES_MAX - 5])
def test_mcp_frames_equal_msgspecs(length: int) -> None:
    payload = b"{" * length
    assert mcp_frame(payload) == encode_frame(encode(payload))
    assert mcp_payload(body_of(mcp_frame(payload))) == payload


def test_the_largest_mcp_message_is_five_bytes_less_than_a_frame() -> None:
    with pytest.raises(FrameTooLargeError):
        mcp_frame(bytes(FRAME_BYTES_MAX - 4))


@pytest.mark.parametrize("body", [b"\xa2{}", b"\xc0", b"\x80", b"{}", b"\xc4\x03{}"])
def test_anything_but_bytes_on_a_stream_is_the_peers_error(body: bytes) -> None:
    with pytest.raises(RemoteProtocolError):
        mcp_payload(body)


def test_a_whole_opening_against_the_daemons_session() -> None:
    daemon = DaemonSession()
    daemon.receive(offer_frame(name="mdmem-mcp", version="0.1.0", pid=41))
    fields = read_answer(body_of(answer(daemon)))
    assert fields["protocol"] == 1
    assert fields["version"] == "0.1.0"
    assert fields["capabilities"] == ["mcp"]
    [request] = daemon.receive(mcp_open_frame(request_id=9, project="/src"))
    assert isinstance(request, Request)
    assert decode_params(request) == McpOpenParams(project="/src")
    read_opened(body_of(daemon.reply(9, Empty())), request_id=9)
    [message] = daemon.receive(mcp_frame(b'{"jsonrpc":"2.0"}'))
    assert mcp_payload(body_of(daemon.mcp(message.payload))) == b'{"jsonrpc":"2.0"}'  # type: ignore[union-attr]


def test_a_refusal_is_declined_with_its_remedy() -> None:
    body = encode(Refusal(2, 3, "0.9.0", "This daemon speaks 2 to 3.", "Restart it."))
    with pytest.raises(DeclinedError, match=r"This daemon speaks 2 to 3\.") as caught:
        read_answer(body)
    assert (caught.value.remedy, caught.value.code) == ("Restart it.", ErrorCode.REFUSED)


@pytest.mark.parametrize(("remedy", "candidates"), [("", ()), ("Wait.", ("a", "b"))])
def test_a_failure_is_declined_with_its_remedy(remedy: str, candidates: tuple[str, ...]) -> None:
    body = encode(Failure(1, "unavailable", "The daemon is stopping.", remedy, candidates))
    with pytest.raises(DeclinedError, match=r"The daemon is stopping\.") as caught:
        read_opened(body, request_id=1)
    assert (caught.value.remedy, caught.value.code) == (remedy, "unavailable")


@pytest.mark.parametrize(
    "body",
    [
        encode(Reply(1, msgspec.Raw(b"\x80"))),
        encode({"type": "refusal", "reason": 5, "remedy": ""}),
        encode({"type": "refusal"}),
        encode({"protocol": 1}),
        encode([1]),
        b"\xc1",
    ],
)
def test_anything_else_for_an_answer_is_the_peers_error(body: bytes) -> None:
    with pytest.raises(RemoteProtocolError):
        read_answer(body)


@pytest.mark.parametrize(
    "body",
    [
        encode(Reply(2, msgspec.Raw(b"\x80"))),
        encode(Failure(2, "internal", "x")),
        encode({"type": "event", "id": 1, "name": "progress", "data": {}}),
        encode({"type": "failure", "id": 1}),
        encode({"type": "reply"}),
    ],
)
def test_anything_else_for_the_opening_is_the_peers_error(body: bytes) -> None:
    with pytest.raises(RemoteProtocolError):
        read_opened(body, request_id=1)


def test_a_project_path_that_is_not_unicode_is_our_error() -> None:
    with pytest.raises(LocalProtocolError, match="not Unicode"):
        mcp_open_frame(request_id=1, project="/home/\udcff")


def test_what_the_shim_imports_is_little() -> None:
    """msgspec takes 11 to 27 ms of the shim's 80, dataclasses 7, typing 5."""
    code = (
        "import sys; before = set(sys.modules)\n"
        "import mdmem_proto.mcp_stream, mdmem_proto.endpoint, mdmem_proto.limits, mdmem_proto.frames\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "mdmem_proto.endpoint" in found
    heavy = {
        "msgspec",
        "typing",
        "dataclasses",
        "inspect",
        "hashlib",
        "platformdirs",
        "pathlib",
        "re",
        "json",
    }
    assert not heavy & set(found)
