"""One connection to a daemon as a sequence of bytes: the handshake, then MCP messages both ways.

=========  =====================================================  ==============
state      what is awaited                                        next
=========  =====================================================  ==============
offered    the daemon's answer to the offer                       greeted
greeted    the caller's ``open`` (it knows the client's name)     opening
opening    the daemon's reply to ``mcp.open``                     open
open       MCP messages                                           (to the end)
=========  =====================================================  ==============

Pure: no IO, no clock. One thread. Uses the hand-made encoders of ``mdmem_proto.mcp_stream``, which need no
msgspec.
"""

from __future__ import annotations

from mdmem_proto.frames import FrameReader
from mdmem_proto.limits import FRAME_BYTES_MAX, HANDSHAKE_FRAME_BYTES_MAX
from mdmem_proto.mcp_stream import mcp_open_frame, mcp_payload, offer_frame, read_answer, read_opened
from mdmem_proto.release import VERSION

OPEN_REQUEST_ID = 1

OFFERED, GREETED, OPENING, OPEN = "offered", "greeted", "opening", "open"


class McpStream:
    """Bytes in, messages out, in one of the states above."""

    def __init__(self) -> None:
        self.state = OFFERED
        self._reader = FrameReader(frame_bytes_max=HANDSHAKE_FRAME_BYTES_MAX)

    def offer(self, *, pid: int) -> bytes:
        """The first bytes of the connection."""
        return offer_frame(name="mdmem-mcp", version=VERSION, pid=pid)

    def open(self, *, project: str, client: str, is_guess: bool, tools: str) -> bytes:
        """The bytes that ask for the stream, once greeted."""
        assert self.state == GREETED
        self.state = OPENING
        return mcp_open_frame(
            request_id=OPEN_REQUEST_ID, project=project, client=client, is_guess=is_guess, tools=tools
        )

    def receive(self, data: bytes) -> list[bytes]:
        """The MCP messages that are complete now.

        Raises:
            DeclinedError: the daemon says no, with reason and remedy.
            RemoteProtocolError: the other side is no daemon of ours.
        """
        self._reader.feed(data)
        messages: list[bytes] = []
        while (body := self._reader.next()) is not None:
            if self.state == OPEN:
                messages.append(mcp_payload(body))
            elif self.state == OPENING:
                read_opened(body, request_id=OPEN_REQUEST_ID)
                self.state = OPEN
            else:
                read_answer(body)
                self.state = GREETED
                self._reader.frame_bytes_max = FRAME_BYTES_MAX
        return messages
