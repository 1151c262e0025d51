"""The little of msgpack that opens an MCP stream: importing msgspec takes a seventh of the shim's budget.

Writes text, unsigned integers, true, bytes and small maps, byte for byte as msgspec does; reads everything
but extensions. Not for other uses: it is slower than msgspec by far and knows no types.

Invariants: ``unpack`` either returns the one value that the bytes hold or raises ``RemoteProtocolError``;
nesting is bounded, and nothing is allocated for items that are announced but not there.
"""

from __future__ import annotations

import struct

from mdmem_proto.errors import LocalProtocolError, RemoteProtocolError

DEPTH_MAX = 32
"""Deepest nesting that ``unpack`` follows; the messages that it is for have two levels."""

FIXED_MAP_ITEMS_MAX = 15

_NIL, _FALSE, _TRUE = 0xC0, 0xC2, 0xC3

PACKED_TRUE = bytes((_TRUE,))

# First byte -> (kind, bytes of the length or number that follows it, big-endian).
_WIDE = {
    0xC4: ("bytes", 1), 0xC5: ("bytes", 2), 0xC6: ("bytes", 4),
    0xCA: ("float", 4), 0xCB: ("float", 8),
    0xCC: ("unsigned", 1), 0xCD: ("unsigned", 2), 0xCE: ("unsigned", 4), 0xCF: ("unsigned", 8),
    0xD0: ("signed", 1), 0xD1: ("signed", 2), 0xD2: ("signed", 4), 0xD3: ("signed", 8),
    0xD9: ("text", 1), 0xDA: ("text", 2), 0xDB: ("text", 4),
    0xDC: ("array", 2), 0xDD: ("array", 4),
    0xDE: ("map", 2), 0xDF: ("map", 4),
}  # fmt: skip


def pack_unsigned(number: int) -> bytes:
    """An integer from 0 to 2**64 - 1 in its shortest form."""
    if number < 0x80:
        return bytes((number,))
    for first, size in ((0xCC, 1), (0xCD, 2), (0xCE, 4)):
        if number < 1 << 8 * size:
            return bytes((first,)) + number.to_bytes(size, "big")
    return b"\xcf" + number.to_bytes(8, "big")


def pack_text(text: str) -> bytes:
    """A string in its shortest form.

    Raises ``LocalProtocolError`` on lone surrogates, as in a file name that is not UTF-8.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise LocalProtocolError(f"{text!r} is not Unicode text and cannot be sent.") from error
    if len(data) < 0x20:
        return bytes((0xA0 | len(data),)) + data
    return _with_length((0xD9, 0xDA, 0xDB), data)


def pack_bytes(data: bytes) -> bytes:
    """A byte string (``bin``) in its shortest form."""
    return _with_length((0xC4, 0xC5, 0xC6), data)


def pack_map(fields: dict[str, bytes]) -> bytes:
    """A map of at most ``FIXED_MAP_ITEMS_MAX`` fields whose values are packed already, in the order given."""
    assert len(fields) <= FIXED_MAP_ITEMS_MAX
    return bytes((0x80 | len(fields),)) + b"".join(pack_text(name) + value for name, value in fields.items())


def unpack(data: bytes) -> object:
    """The value that ``data`` holds: ``None``, bool, int, float, str, bytes, list, or dict with text keys."""
    value, end = _value(data, 0, DEPTH_MAX)
    if end != len(data):
        raise RemoteProtocolError(f"The peer sent {len(data) - end} bytes too many after a message.")
    return value


def _with_length(firsts: tuple[int, int, int], data: bytes) -> bytes:
    for first, size in zip(firsts, (1, 2, 4), strict=True):
        if len(data) < 1 << 8 * size:
            return bytes((first,)) + len(data).to_bytes(size, "big") + data
    raise OverflowError(f"msgpack cannot hold {len(data)} bytes in one value")


def _value(data: bytes, at: int, depth: int) -> tuple[object, int]:
    """The value at offset ``at`` and the offset after it."""
    first = _take(data, at, 1)[0]
    at += 1
    if first < 0x80 or first >= 0xE0:
        return (first if first < 0x80 else first - 0x100), at
    if first < 0xC0:
        kind, count = _fixed(first)
        return _sized(kind, count, data, at, depth)
    if first in {_NIL, _FALSE, _TRUE}:
        return {_NIL: None, _FALSE: False, _TRUE: True}[first], at
    if first not in _WIDE:
        raise RemoteProtocolError(
            f"The peer sent a message with the byte 0x{first:02x}, which is not allowed here."
        )
    kind, size = _WIDE[first]
    number = _take(data, at, size)
    at += size
    if kind == "float":
        return struct.unpack(">f" if size == 4 else ">d", number)[0], at
    if kind in {"unsigned", "signed"}:
        return int.from_bytes(number, "big", signed=kind == "signed"), at
    return _sized(kind, int.from_bytes(number, "big"), data, at, depth)


def _fixed(first: int) -> tuple[str, int]:
    """Kind and count of the forms that keep the count in their first byte."""
    if first < 0x90:
        return "map", first & 0x0F
    if first < 0xA0:
        return "array", first & 0x0F
    return "text", first & 0x1F


def _sized(kind: str, count: int, data: bytes, at: int, depth: int) -> tuple[object, int]:
    """The text, bytes, array or map with ``count`` bytes or items that begins at offset ``at``."""
    if kind in {"text", "bytes"}:
        raw = _take(data, at, count)
        return (_text(raw) if kind == "text" else raw), at + count
    if depth == 0:
        raise RemoteProtocolError(f"The peer sent a message nested more than {DEPTH_MAX} levels deep.")
    if kind == "array":
        items = []
        for _ in range(count):
            item, at = _value(data, at, depth - 1)
            items.append(item)
        return items, at
    fields: dict[str, object] = {}
    for _ in range(count):
        name, at = _value(data, at, depth - 1)
        if not isinstance(name, str):
            raise RemoteProtocolError("The peer sent a message with a key that is not text.")
        fields[name], at = _value(data, at, depth - 1)
    return fields, at


def _take(data: bytes, at: int, count: int) -> bytes:
    if at + count > len(data):
        raise RemoteProtocolError("The peer sent a message that ends too early.")
    return data[at : at + count]


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise RemoteProtocolError("The peer sent text that is not UTF-8.") from error
