"""Framing (fault X12)."""

import sys

import pytest

from mdmem_proto.errors import FrameTooLargeError, LocalProtocolError, RemoteProtocolError
from mdmem_proto.frames import FrameReader, encode_frame
from mdmem_proto.limits import FRAME_BYTES_MAX


def test_a_frame_is_its_length_and_its_body() -> None:
    assert encode_frame(b"abc") == b"\x03\0\0\0abc"


def test_the_longest_body_goes_through_and_the_next_does_not() -> None:
    longest = bytes(FRAME_BYTES_MAX)
    reader = FrameReader()
    reader.feed(encode_frame(longest))
    assert reader.next() == longest
    with pytest.raises(FrameTooLargeError, match="16777217 bytes do not fit"):
        encode_frame(longest + b"x")


def test_an_empty_body_is_refused_on_both_sides() -> None:
    with pytest.raises(LocalProtocolError, match="empty"):
        encode_frame(b"")
    reader = FrameReader()
    reader.feed(b"\0\0\0\0")
    with pytest.raises(RemoteProtocolError, match="0 bytes"):
        reader.next()


@pytest.mark.parametrize("length", [FRAME_BYTES_MAX + 1, 2**31, 2**32 - 1])
def test_a_huge_length_is_refused_from_the_header_alone(length: int) -> None:
    """X12."""
    reader = FrameReader()
    reader.feed(length.to_bytes(4, "little"))
    for _ in range(2):
        with pytest.raises(RemoteProtocolError, match=f"announced a frame of {length} bytes"):
            reader.next()


def test_an_announced_length_costs_no_memory_before_it_arrives() -> None:
    """X12."""
    reader = FrameReader()
    reader.feed(FRAME_BYTES_MAX.to_bytes(4, "little") + b"x")
    assert reader.next() is None
    assert sys.getsizeof(reader._buffer) < 1000


def test_what_was_read_is_not_kept() -> None:
    reader = FrameReader()
    for _ in range(1000):
        reader.feed(encode_frame(bytes(1000)))
        assert reader.next() == bytes(1000)
    assert sys.getsizeof(reader._buffer) < 10_000


@pytest.mark.parametrize("half", [b"\x03", b"\x03\0\0\0", b"\x03\0\0\0ab"])
def test_half_a_frame_at_the_end_is_an_error(half: bytes) -> None:
    """X12."""
    reader = FrameReader()
    reader.feed(half)
    assert reader.next() is None
    with pytest.raises(RemoteProtocolError, match=f"within a frame, {len(half)} bytes into it"):
        reader.close()


def test_the_end_between_frames_is_fine() -> None:
    reader = FrameReader()
    reader.close()
    reader.feed(encode_frame(b"abc"))
    assert reader.next() == b"abc"
    reader.close()


def test_the_limit_can_be_lifted_between_frames() -> None:
    reader = FrameReader(frame_bytes_max=3)
    reader.feed(encode_frame(b"abc") + encode_frame(b"abcd"))
    assert reader.next() == b"abc"
    reader.frame_bytes_max = 4
    assert reader.next() == b"abcd"
