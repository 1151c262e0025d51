"""The small msgpack against msgspec's (fault X12)."""

import msgspec
import pytest

from mdmem_proto.errors import LocalProtocolError, RemoteProtocolError
from mdmem_proto.msgpack import DEPTH_MAX, pack_bytes, pack_map, pack_text, pack_unsigned, unpack

EDGES = [0, 1, 31, 32, 127, 128, 255, 256, 65_535, 65_536]


@pytest.mark.parametrize("number", [*EDGES, 2**32 - 1, 2**32, 2**63, 2**64 - 1])
def test_unsigned_numbers_as_msgspec_writes_them(number: int) -> None:
    assert pack_unsigned(number) == msgspec.msgpack.encode(number)


@pytest.mark.parametrize("length", EDGES)
def test_text_and_bytes_as_msgspec_writes_them(length: int) -> None:
    assert pack_text("x" * length) == msgspec.msgpack.encode("x" * length)
    assert pack_bytes(b"x" * length) == msgspec.msgpack.encode(b"x" * length)


def test_maps_as_msgspec_writes_them() -> None:
    fields = {f"field{number}": number for number in range(15)}
    packed = {name: pack_unsigned(number) for name, number in fields.items()}
    assert pack_map(packed) == msgspec.msgpack.encode(fields)


def test_text_that_is_not_unicode_is_our_error() -> None:
    with pytest.raises(LocalProtocolError, match="not Unicode text"):
        pack_text("/home/\udcff")


@pytest.mark.parametrize(
    "value",
    [
        None, True, False, 1.5, -1, -32, -33, -(2**7), -(2**15), -(2**31), -(2**63), 2**64 - 1, "", "ä" * 20,
        "x" * 300, "x" * 70_000, b"", b"x" * 300, b"x" * 70_000, [], [1, [2, [3]]], list(range(16)),
        list(range(70_000)), {}, {"a": {"b": [None]}}, {str(n): n for n in range(16)},
        {str(n): n for n in range(70_000)},
    ],
    ids=lambda value: f"{type(value).__name__}-{len(repr(value))}",
)  # fmt: skip
def test_everything_that_msgspec_writes_is_read(value: object) -> None:
    assert unpack(msgspec.msgpack.encode(value)) == value


def test_single_precision_is_read() -> None:
    assert unpack(b"\xca\x3f\xc0\0\0") == 1.5


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "ends too early"),
        (b"\xc4", "ends too early"),
        (b"\xc4\x05abcd", "ends too early"),
        (b"\xc6\xff\xff\xff\xffx", "ends too early"),
        (b"\xdd\xff\xff\xff\xff", "ends too early"),
        (b"\xdf\xff\xff\xff\xff", "ends too early"),
        (b"\xa5abc", "ends too early"),
        (b"\xcb\0\0", "ends too early"),
        (b"\x81\xa1a", "ends too early"),
        (b"\xc0\xc0", "1 bytes too many"),
        (b"\xc1", "byte 0xc1"),
        (b"\xd4\x01\x02", "byte 0xd4"),
        (b"\xa1\xff", "not UTF-8"),
        (b"\x81\x01\x02", "key that is not text"),
        (b"\x91" * 100_000 + b"\xc0", f"more than {DEPTH_MAX} levels"),
        (b"\x81\xa1a" * 100_000 + b"\xc0", f"more than {DEPTH_MAX} levels"),
    ],
)
def test_bad_bytes_are_the_peers_error(data: bytes, reason: str) -> None:
    """X12."""
    with pytest.raises(RemoteProtocolError, match=reason):
        unpack(data)
