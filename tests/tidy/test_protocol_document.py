"""``proto/PROTOCOL.md`` says what the code does: tables, limits, and one session in hexadecimal."""

import hashlib
import re
from pathlib import Path

import msgspec
import pytest
from msgspec import inspect

from mdmem_proto import envelope, limits, messages, version
from mdmem_proto.conversation import TRANSITIONS, McpMessage, Side, State
from mdmem_proto.envelope import Event, Failure, Reply, Request
from mdmem_proto.errors import ErrorCode
from mdmem_proto.frames import encode_frame
from mdmem_proto.mcp_stream import mcp_frame
from mdmem_proto.messages import METHODS, Message, ProgressEvent, SearchParams, SearchResult
from mdmem_proto.session import ClientSession, DaemonSession, decode_event, decode_params, decode_result

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "proto" / "PROTOCOL.md").read_text(encoding="utf-8")
SPECIFIED = ("frames", "envelope", "conversation", "session", "msgpack", "mcp_stream")
"""Messages are not among them: each struct and method is compared with its row."""
STRUCTS = [
    kind
    for module in (envelope, messages)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Message) and kind is not Message
]


def row(first: str) -> list[str]:
    """The cells of the one table row whose first cell is the given code."""
    rows = re.findall(rf"^\| `{re.escape(first)}` \|(.*)\|$", DOCUMENT, re.MULTILINE)
    assert len(rows) == 1, f"{len(rows)} rows for {first}"
    return [cell.strip() for cell in rows[0].split(" | ")]


def type_name(info: inspect.Type) -> str:
    """A type in the words of the document."""
    match info:
        case inspect.StructType():
            return info.cls.__name__
        case inspect.UnionType():
            return " or ".join(type_name(each) for each in info.types)
        case inspect.VarTupleType():
            return f"[{type_name(info.item_type)}]"
        case inspect.TupleType():
            return f"({', '.join(type_name(each) for each in info.item_types)})"
        case inspect.LiteralType():
            return " or ".join(f'"{value}"' for value in info.values)
    names = {
        inspect.IntType: "integer",
        inspect.StrType: "text",
        inspect.FloatType: "float",
        inspect.BoolType: "bool",
        inspect.NoneType: "nil",
        inspect.RawType: "any map",
        inspect.DictType: "any map",
    }
    return names[type(info)]


def literal(value: object) -> str:
    """A default in the words of the document."""
    return "nil" if value is None else msgspec.json.encode(value).decode()


def fields_of(kind: type[Message]) -> str:
    """All fields of a struct in the words of the document."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    words = []
    for field in info.fields:
        default = "" if field.required else f" = {literal(field.default)}"
        words.append(f"`{field.name}` {type_name(field.type)}{default}")
    return ", ".join(words) or "none"


def test_the_page_was_read_again_when_the_sources_changed() -> None:
    digest = hashlib.sha256()
    for name in SPECIFIED:
        digest.update((ROOT / "proto" / "mdmem_proto" / f"{name}.py").read_bytes())
    line = f"Sources at the last review: sha256 `{digest.hexdigest()}`"
    assert line in DOCUMENT, f"bring PROTOCOL.md up to date with the code, then set its last line to: {line}"


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda kind: kind.__name__)
def test_every_struct_has_its_fields_in_order(kind: type[Message]) -> None:
    assert row(kind.__name__)[0] == fields_of(kind)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_its_row(name: str) -> None:
    params, result, _, idempotent, _, since = row(name)
    method = METHODS[name]
    assert (params, result) == (f"`{method.params.__name__}`", f"`{method.result.__name__}`")
    assert idempotent == ("yes" if method.idempotent else "no")
    assert 1 <= int(since) <= version.PROTOCOL_MAX


@pytest.mark.parametrize("name", METHODS)
def test_errors_of_methods_are_codes(name: str) -> None:
    named = re.findall(r"`(\w+)`", row(name)[2])
    assert set(named) <= set(ErrorCode)


@pytest.mark.parametrize("code", ErrorCode)
def test_every_error_code_has_its_row(code: ErrorCode) -> None:
    assert row(code.value)[0]


@pytest.mark.parametrize(
    "name", [name for name, value in vars(limits).items() if isinstance(value, int | float)]
)
def test_every_limit_has_its_value(name: str) -> None:
    assert row(name)[0].replace(",", "") == str(getattr(limits, name))


@pytest.mark.parametrize("platform", limits.SOCKET_PATH_BYTES_MAX)
def test_the_limits_of_socket_paths_have_their_values(platform: str) -> None:
    assert row(f"SOCKET_PATH_BYTES_MAX[{platform}]")[0] == str(limits.SOCKET_PATH_BYTES_MAX[platform])


@pytest.mark.parametrize("state", State)
def test_every_state_has_its_row(state: State) -> None:
    cells = row(state.value)
    for side, cell in zip(Side, cells, strict=True):
        allowed = {kind.__name__ for sender, kind in TRANSITIONS[state] if sender == side}
        assert set(re.findall(r"`([A-Z]\w+)`", cell)) == allowed


def test_every_protocol_number_has_its_history() -> None:
    history = DOCUMENT[DOCUMENT.index("## 9. History") :]
    assert [int(number) for number in re.findall(r"^\| (\d+) \|", history, re.MULTILINE)] == list(
        range(1, version.PROTOCOL_MAX + 1)
    )


def test_every_file_that_is_named_exists() -> None:
    named = set(re.findall(r"`((?:proto|daemon|clients|tests)/[\w/]+\.\w+)`", DOCUMENT))
    assert named
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


# --- the session --------------------------------------------------------------------------------------------


def recorded() -> list[tuple[str, bytes]]:
    """The frames of the document: who sends it, and its bytes."""
    [block] = re.findall(r"^```hex\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
    frames = re.findall(r"^(client|daemon): .*\n((?:[0-9a-f]{4}  .*\n)+)", block, re.MULTILINE)
    return [(sender, dump(lines)) for sender, lines in frames]


def dump(lines: str) -> bytes:
    data = b""
    for line in lines.splitlines():
        offset, hexadecimal = line[:4], line[6:53]
        assert int(offset, 16) == len(data)
        data += bytes.fromhex(hexadecimal)
    return data


def replayed(frames: list[tuple[str, bytes]]) -> list[object]:
    """What the two sessions make of the recorded bytes."""
    client, daemon = ClientSession(), DaemonSession()
    found: list[object] = []
    for sender, data in frames:
        speaker, listener = (client, daemon) if sender == "client" else (daemon, client)
        received = listener.receive(data)
        assert len(received) == 1, data
        found += received
        # The speaker's own machine has to come along; its bytes are not looked at.
        speaker._conversation.advance(speaker._ours, received[0])
    assert client.state is daemon.state is State.STREAM
    return found


def test_the_recorded_session_is_decoded_and_encoded_byte_for_byte() -> None:
    frames = recorded()
    found = replayed(frames)
    kinds = " ".join(type(message).__name__ for message in found)
    assert kinds == ("Offer Answer Request Request Event Reply Failure Request Reply McpMessage McpMessage")
    for message, (_, data) in zip(found, frames, strict=True):
        again = mcp_frame(message.payload) if isinstance(message, McpMessage) else pack(message)
        assert again == data


def pack(message: object) -> bytes:
    return encode_frame(msgspec.msgpack.encode(message))


def test_the_recorded_parameters_and_results_are_decoded_and_encoded_byte_for_byte() -> None:
    found = replayed(recorded())
    search, wait, event, reply, failure, mcp_open = found[2:8]
    for request in (search, wait, mcp_open):
        assert isinstance(request, Request)
        assert msgspec.msgpack.encode(decode_params(request)) == bytes(request.params)
    assert isinstance(search, Request)
    assert decode_params(search) == SearchParams("install python", roots=("uv",), limit=1)
    assert isinstance(event, Event)
    assert decode_event(event, ProgressEvent) == ProgressEvent("embed", 512, 9320)
    assert isinstance(reply, Reply)
    result = decode_result(reply, SearchResult)
    assert msgspec.msgpack.encode(result) == bytes(reply.result)
    assert result.hits[0].heading_path == ("Installing Python", "Getting started")
    assert isinstance(failure, Failure)
    assert failure.code == ErrorCode.NOT_FOUND
    assert failure.candidates == ("uv",)
