"""Bytes in, lines out: the framing of MCP on standard streams, one JSON message a line.

Invariants: a line of any length costs at most ``line_bytes_max`` of memory and linear time, however the bytes
are cut; a line that is longer is dropped to its end and reported once, and the next line is read normally.
Pure; one thread.
"""

from __future__ import annotations


class LineTooLongError(Exception):
    """A line was longer than the reader's limit and has been dropped."""


class LineReader:
    """``feed`` what arrived, then call ``next`` until it returns ``None``."""

    def __init__(self, *, line_bytes_max: int) -> None:
        self._line_bytes_max = line_bytes_max
        self._buffer = bytearray()
        self._searched = 0
        self._is_dropping = False

    def feed(self, data: bytes) -> None:
        """Add bytes, cut anywhere."""
        self._buffer += data

    def next(self) -> bytes | None:
        """The next whole line without its end, or ``None`` when more bytes are needed.

        Raises:
            LineTooLongError: once for each line that is too long, when its end has arrived.
        """
        end = self._buffer.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._buffer)
            if self._is_dropping or len(self._buffer) > self._line_bytes_max:
                self._is_dropping = True
                self._buffer.clear()
                self._searched = 0
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        if self._is_dropping or len(line) > self._line_bytes_max:
            self._is_dropping = False
            raise LineTooLongError
        return line.removesuffix(b"\r")

    def rest(self) -> bytes:
        """What came after the last line end; empty in the middle of a line that is too long."""
        return b"" if self._is_dropping else bytes(self._buffer)
