"""Frames: any bodies, cut anywhere, come out as they went in."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem_proto.errors import RemoteProtocolError
from mdmem_proto.frames import FrameReader, encode_frame

BODIES = st.lists(st.binary(min_size=1, max_size=200), max_size=6)


def read_all(reader: FrameReader) -> list[bytes]:
    bodies = []
    while (body := reader.next()) is not None:
        bodies.append(body)
    return bodies


def cut(data: bytes, places: list[int]) -> list[bytes]:
    bounds = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(bounds)]


@given(BODIES, st.lists(st.integers(min_value=0)))
def test_frames_come_out_as_they_went_in_however_they_are_cut(bodies: list[bytes], places: list[int]) -> None:
    data = b"".join(encode_frame(body) for body in bodies)
    for pieces in ([data], [bytes((byte,)) for byte in data], cut(data, places)):
        reader = FrameReader()
        found: list[bytes] = []
        for piece in pieces:
            reader.feed(piece)
            found += read_all(reader)
        assert found == bodies
        reader.close()


@given(st.binary(min_size=1, max_size=50), st.binary(min_size=1, max_size=3))
def test_trailing_bytes_wait_for_the_rest_of_their_frame(body: bytes, trailing: bytes) -> None:
    reader = FrameReader()
    reader.feed(encode_frame(body) + trailing)
    assert read_all(reader) == [body]
    with pytest.raises(RemoteProtocolError, match=f"{len(trailing)} bytes into it"):
        reader.close()


@given(st.binary(max_size=300))
def test_any_bytes_are_frames_or_the_one_error(data: bytes) -> None:
    reader = FrameReader(frame_bytes_max=100)
    reader.feed(data)
    try:
        bodies = read_all(reader)
        reader.close()
    except RemoteProtocolError:
        return
    assert b"".join(encode_frame(body) for body in bodies) == data
