"""The wire as the MCP shim needs it: open a stream, then carry MCP messages, without importing msgspec.

A shim does, over one socket::

    send(offer_frame(...));    read_answer(next body)
    send(mcp_open_frame(...)); read_opened(next body, request_id=...)
    send(mcp_frame(message)) for each message out; mcp_payload(body) for each body in

where bodies come from ``mdmem_proto.frames.FrameReader``. After ``mcp.open`` has been answered, a body in
either direction is one msgpack ``bin`` with the UTF-8 bytes of one JSON-RPC message; that it is JSON is not
checked here.

Invariants: the frames made here equal those of ``mdmem_proto.session``, which a test compares; importing this
module imports neither msgspec nor typing. ``mdmem_proto.session`` uses ``mcp_frame`` and ``mcp_payload`` too,
so their form exists once.
"""

from __future__ import annotations

from mdmem_proto.errors import DeclinedError, ErrorCode, RemoteProtocolError
from mdmem_proto.frames import encode_frame
from mdmem_proto.msgpack import PACKED_TRUE, pack_bytes, pack_map, pack_text, pack_unsigned, unpack
from mdmem_proto.version import PROTOCOL_MAX, PROTOCOL_MIN

MCP_OPEN = "mcp.open"
"""The method that turns a connection into a stream of MCP messages."""


def offer_frame(
    *, name: str, version: str, pid: int, protocol_min: int = PROTOCOL_MIN, protocol_max: int = PROTOCOL_MAX
) -> bytes:
    """The first frame of a client."""
    return encode_frame(
        pack_map(
            {
                "type": pack_text("offer"),
                "protocol_min": pack_unsigned(protocol_min),
                "protocol_max": pack_unsigned(protocol_max),
                "name": pack_text(name),
                "version": pack_text(version),
                "pid": pack_unsigned(pid),
            }
        )
    )


def mcp_open_frame(
    *, request_id: int, project: str = "", client: str = "", is_guess: bool = False, tools: str = ""
) -> bytes:
    """The request that opens the stream; the arguments are the fields of ``McpOpenParams``."""
    params = {name: pack_text(value) for name, value in (("project", project), ("client", client)) if value}
    if is_guess:
        params["is_guess"] = PACKED_TRUE
    if tools:
        params["tools"] = pack_text(tools)
    return encode_frame(
        pack_map(
            {
                "type": pack_text("request"),
                "id": pack_unsigned(request_id),
                "method": pack_text(MCP_OPEN),
                "params": pack_map(params),
            }
        )
    )


def read_answer(body: bytes) -> dict[str, object]:
    """The fields of the daemon's ``Answer``; raises ``DeclinedError`` if it is a ``Refusal``."""
    message = _message(body)
    if message["type"] == "refusal":
        raise DeclinedError(_text(message, "reason"), remedy=_text(message, "remedy"), code=ErrorCode.REFUSED)
    if message["type"] != "answer":
        raise RemoteProtocolError(
            f"The daemon sent {message['type']!r} where an answer to the offer was due."
        )
    return message


def read_opened(body: bytes, *, request_id: int) -> None:
    """Check that the daemon opened the stream; raises ``DeclinedError`` if it sent a ``Failure``."""
    message = _message(body)
    if message.get("id") != request_id:
        raise RemoteProtocolError(
            f"The daemon answered request {message.get('id')!r} instead of {request_id}."
        )
    if message["type"] == "failure":
        remedy = _text(message, "remedy") if "remedy" in message else ""
        raise DeclinedError(_text(message, "message"), remedy=remedy, code=_text(message, "code"))
    if message["type"] != "reply":
        raise RemoteProtocolError(
            f"The daemon sent {message['type']!r} where the reply to {MCP_OPEN} was due."
        )


def mcp_frame(payload: bytes) -> bytes:
    """The frame of one MCP message; raises ``FrameTooLargeError`` if it does not fit."""
    return encode_frame(pack_bytes(payload))


def mcp_payload(body: bytes) -> bytes:
    """The MCP message in a frame's body."""
    payload = unpack(body)
    if not isinstance(payload, bytes):
        raise RemoteProtocolError("The peer sent something else than an MCP message on an MCP stream.")
    return payload


def _message(body: bytes) -> dict[str, object]:
    message = unpack(body)
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise RemoteProtocolError("The daemon sent something that is not a message.")
    return message


def _text(message: dict[str, object], field: str) -> str:
    value = message.get(field)
    if not isinstance(value, str):
        raise RemoteProtocolError(f"The daemon sent a {message['type']} without a {field}.")
    return value
