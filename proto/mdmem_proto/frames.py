"""Frames: four bytes of length, unsigned and little-endian, then that many bytes of body.

======  ========  ==========================================================
offset  size      what
======  ========  ==========================================================
0       4         length of the body, 1 to the reader's ``frame_bytes_max``
4       length    body
======  ========  ==========================================================

Invariants: a length out of range is refused from the header alone, before anything of the body is kept; the
reader holds at most one incomplete frame and what was fed last; time is linear in the bytes fed, however they
are cut. One reader serves one direction of one connection, on one thread at a time. What a body means is not
known here.
"""

from __future__ import annotations

from mdmem_proto.errors import FrameTooLargeError, LocalProtocolError, RemoteProtocolError
from mdmem_proto.limits import FRAME_BYTES_MAX, FRAME_HEADER_BYTES


def encode_frame(body: bytes) -> bytes:
    """The frame of ``body``.

    Raises ``LocalProtocolError`` if it is empty, ``FrameTooLargeError`` over ``FRAME_BYTES_MAX``.
    """
    if not body:
        raise LocalProtocolError("A frame cannot be empty.")
    if len(body) > FRAME_BYTES_MAX:
        raise FrameTooLargeError(f"{len(body)} bytes do not fit a frame, which holds {FRAME_BYTES_MAX}.")
    return len(body).to_bytes(FRAME_HEADER_BYTES, "little") + body


class FrameReader:
    """Bytes in, bodies out: ``feed`` what arrived, then call ``next`` until it returns ``None``.

    ``frame_bytes_max`` may be set between two frames. After an error the reader says the same error for ever.
    """

    def __init__(self, *, frame_bytes_max: int = FRAME_BYTES_MAX) -> None:
        self.frame_bytes_max = frame_bytes_max
        # Deleting from its front moves a pointer (CPython), so many small frames in one feed stay linear.
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Add bytes from the peer, cut anywhere."""
        self._buffer += data

    def next(self) -> bytes | None:
        """The next whole body, or ``None`` when more bytes are needed.

        Raises ``RemoteProtocolError`` on a bad length.
        """
        if len(self._buffer) < FRAME_HEADER_BYTES:
            return None
        length = int.from_bytes(self._buffer[:FRAME_HEADER_BYTES], "little")
        if not 1 <= length <= self.frame_bytes_max:
            raise RemoteProtocolError(
                f"The peer announced a frame of {length} bytes; 1 to {self.frame_bytes_max} are allowed here."
            )
        end = FRAME_HEADER_BYTES + length
        if len(self._buffer) < end:
            return None
        body = bytes(self._buffer[FRAME_HEADER_BYTES:end])
        del self._buffer[:end]
        return body

    def close(self) -> None:
        """The peer sends nothing more; raises ``RemoteProtocolError`` if it stopped within a frame."""
        if self._buffer:
            raise RemoteProtocolError(
                f"The connection ended within a frame, {len(self._buffer)} bytes into it."
            )
