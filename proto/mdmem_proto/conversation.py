"""Who may say what, when: the state machine of one connection, the same for both sides.

All changes of state happen here, and this file does not know which side it serves: each program runs one
``Conversation`` and tells it of every message in either direction, its own before it is sent, the peer's when
it has arrived. Both machines see the same messages of a side in the same order.

===========  ===========================================  ===============================================
state        the client may send                          the daemon may send
===========  ===========================================  ===============================================
opening      ``Offer`` -> offered
offered                                                   ``Answer`` -> ready, ``Refusal`` -> closed
ready        ``Request`` -> ready, ``Cancel`` -> ready,   ``Reply``, ``Failure``, ``Event`` -> ready
             ``Request`` ``mcp.open`` -> switching
switching                                                 ``Reply`` -> stream, ``Failure`` -> ready
stream       ``McpMessage`` -> stream                     ``McpMessage`` -> stream
closed
===========  ===========================================  ===============================================

``Refusal`` may also come in ``opening``: a daemon that has no room for a connection does not wait for an
offer.

What the table does not show: a request's id is in flight from the ``Request`` to its one ``Reply`` or
``Failure``, also if it was cancelled, and cannot be used again meanwhile; the daemon speaks only of ids in
flight, while a ``Cancel`` may name any, since it can cross the end of its request; ``mcp.open`` is sent
alone, with nothing in flight, because afterwards there are no ids any more.

Used on the thread of the session that owns it. Every violation is a ``LocalProtocolError`` here;
``mdmem_proto.session`` knows whose it was. A violation changes nothing.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from mdmem_proto.envelope import Answer, Cancel, Event, Failure, Offer, Refusal, Reply, Request
from mdmem_proto.errors import LocalProtocolError
from mdmem_proto.limits import REQUESTS_IN_FLIGHT_MAX
from mdmem_proto.mcp_stream import MCP_OPEN


class McpMessage(msgspec.Struct, frozen=True):
    """One JSON-RPC message of an open MCP stream, as its UTF-8 bytes."""

    payload: bytes


AnyMessage = Offer | Answer | Refusal | Request | Cancel | Reply | Failure | Event | McpMessage


class Side(StrEnum):
    """The two ends of a connection."""

    CLIENT = "client"
    DAEMON = "daemon"


class State(StrEnum):
    """Where a connection is in its life."""

    OPENING = "opening"
    OFFERED = "offered"
    READY = "ready"
    SWITCHING = "switching"
    STREAM = "stream"
    CLOSED = "closed"


TRANSITIONS: dict[State, dict[tuple[Side, type[AnyMessage]], State]] = {
    State.OPENING: {
        (Side.CLIENT, Offer): State.OFFERED,
        (Side.DAEMON, Refusal): State.CLOSED,
    },
    State.OFFERED: {
        (Side.DAEMON, Answer): State.READY,
        (Side.DAEMON, Refusal): State.CLOSED,
    },
    State.READY: {
        (Side.CLIENT, Request): State.READY,  # mcp.open: State.SWITCHING
        (Side.CLIENT, Cancel): State.READY,
        (Side.DAEMON, Reply): State.READY,
        (Side.DAEMON, Failure): State.READY,
        (Side.DAEMON, Event): State.READY,
    },
    State.SWITCHING: {
        (Side.DAEMON, Reply): State.STREAM,
        (Side.DAEMON, Failure): State.READY,
    },
    State.STREAM: {
        (Side.CLIENT, McpMessage): State.STREAM,
        (Side.DAEMON, McpMessage): State.STREAM,
    },
    State.CLOSED: {},
}


class Conversation:
    """The state of one connection and the requests in flight on it."""

    def __init__(self) -> None:
        self.state = State.OPENING
        self.offer: Offer | None = None
        self.in_flight: dict[int, str] = {}
        """Method by request id, in the order of the requests."""

    def advance(self, sender: Side, message: AnyMessage) -> None:
        """Take notice of one message; raises ``LocalProtocolError`` if it is out of place."""
        allowed = TRANSITIONS[self.state]
        following = allowed.get((sender, type(message)))
        if following is None:
            due = ", ".join(kind.__name__.lower() for side, kind in allowed if side == sender) or "nothing"
            raise LocalProtocolError(
                f"The {sender} sent {type(message).__name__.lower()} while the connection was {self.state}; "
                f"due from it: {due}."
            )
        if isinstance(message, Offer):
            self.offer = message
        elif isinstance(message, Answer):
            self._check_number(message)
        elif isinstance(message, Request):
            following = self._begin(message)
        elif isinstance(message, Reply | Failure | Event):
            self._go_on(message)
        self.state = following

    def close(self) -> None:
        """Nothing more will be said."""
        self.state = State.CLOSED

    def _check_number(self, answer: Answer) -> None:
        offer = self.offer
        assert offer is not None  # no state but OFFERED allows an Answer
        if not offer.protocol_min <= answer.protocol <= offer.protocol_max:
            raise LocalProtocolError(
                f"The daemon chose protocol {answer.protocol}, "
                f"and the client had offered {offer.protocol_min} to {offer.protocol_max}."
            )

    def _begin(self, request: Request) -> State:
        if request.id in self.in_flight:
            raise LocalProtocolError(f"The client sent request {request.id} again before it had ended.")
        if len(self.in_flight) >= REQUESTS_IN_FLIGHT_MAX:
            raise LocalProtocolError(
                f"The client sent more than {REQUESTS_IN_FLIGHT_MAX} requests at a time."
            )
        if request.method == MCP_OPEN and self.in_flight:
            raise LocalProtocolError(f"The client sent {MCP_OPEN} while other requests were in flight.")
        self.in_flight[request.id] = request.method
        return State.SWITCHING if request.method == MCP_OPEN else State.READY

    def _go_on(self, message: Reply | Failure | Event) -> None:
        if message.id not in self.in_flight:
            kind = type(message).__name__.lower()
            raise LocalProtocolError(
                f"The daemon sent {kind} for request {message.id}, which is not in flight."
            )
        if not isinstance(message, Event):
            del self.in_flight[message.id]
