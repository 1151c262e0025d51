"""One connection, bytes in and messages out, for each of the two sides. No IO: the caller moves the bytes.

How to use one: send what the methods return, in that order; give ``receive`` what arrives, cut anywhere, and
act on the messages that it returns; at the end of the peer's bytes call ``close``. Which method is allowed
when is the table of ``mdmem_proto.conversation``.

Invariants:

- A method that raises ``LocalProtocolError`` has changed nothing and nothing is to be sent: after a
  ``reply`` that does not fit a frame, ``fail`` still ends the request.
- ``receive`` raises ``RemoteProtocolError`` for anything that a correct peer does not send, and nothing else,
  whatever the bytes; the session is closed then. What arrives at a closed session is ignored, as it may
  have crossed the end.
- Parameters, results and event data stay packed until ``decode_params``, ``decode_result`` or
  ``decode_event`` is called for them, so a malformed one costs its request and not the connection.
- Memory is bounded by one frame, and by 64 KiB before the handshake is over.

A session belongs to one thread (or one event loop) at a time; the ``decode_*`` functions may be called on
any.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TypeVar

import msgspec

from mdmem_proto.conversation import AnyMessage, Conversation, McpMessage, Side, State
from mdmem_proto.envelope import Answer, Cancel, Event, Failure, Offer, Refusal, Reply, Request
from mdmem_proto.errors import (
    ErrorCode,
    InvalidParamsError,
    LocalProtocolError,
    RemoteProtocolError,
    UnknownMethodError,
)
from mdmem_proto.frames import FrameReader, encode_frame
from mdmem_proto.limits import FRAME_BYTES_MAX, HANDSHAKE_FRAME_BYTES_MAX, REQUEST_ID_MAX
from mdmem_proto.mcp_stream import mcp_frame, mcp_payload
from mdmem_proto.messages import METHODS, Message
from mdmem_proto.version import PROTOCOL_MAX, PROTOCOL_MIN, choose

FromClient = Offer | Request | Cancel | McpMessage
FromDaemon = Answer | Refusal | Reply | Failure | Event | McpMessage
Envelope = Offer | Answer | Refusal | Request | Cancel | Reply | Failure | Event

M = TypeVar("M", bound=Message)
Received = TypeVar("Received", bound=AnyMessage)

_encoder = msgspec.msgpack.Encoder()
_from_client: msgspec.msgpack.Decoder[Offer | Request | Cancel] = msgspec.msgpack.Decoder(
    Offer | Request | Cancel
)
_from_daemon: msgspec.msgpack.Decoder[Answer | Refusal | Reply | Failure | Event] = msgspec.msgpack.Decoder(
    Answer | Refusal | Reply | Failure | Event
)


class _Session:
    """What both sides have in common."""

    def __init__(self, ours: Side) -> None:
        self._ours = ours
        self._theirs = Side.DAEMON if ours is Side.CLIENT else Side.CLIENT
        self._conversation = Conversation()
        self._reader = FrameReader(frame_bytes_max=HANDSHAKE_FRAME_BYTES_MAX)

    @property
    def state(self) -> State:
        """Where the connection is in its life."""
        return self._conversation.state

    @property
    def in_flight(self) -> tuple[int, ...]:
        """Ids of the requests that have not ended yet, oldest first."""
        return tuple(self._conversation.in_flight)

    def mcp(self, payload: bytes) -> bytes:
        """Send one MCP message, given as the UTF-8 bytes of its JSON, on an open stream."""
        return self._said(McpMessage(payload), mcp_frame(payload))

    def close(self) -> None:
        """The peer sends nothing more; raises ``RemoteProtocolError`` if it stopped within a frame."""
        if self.state is not State.CLOSED:
            self._conversation.close()
            self._reader.close()

    def _send(self, message: Envelope) -> bytes:
        return self._said(message, encode_frame(_packed(message)))

    def _said(self, message: AnyMessage, frame: bytes) -> bytes:
        self._conversation.advance(self._ours, message)
        self._lift_limit()
        return frame

    def _receive(self, data: bytes, decode: Callable[[bytes], Received]) -> list[Received | McpMessage]:
        messages: list[Received | McpMessage] = []
        if self.state is not State.CLOSED:
            self._reader.feed(data)
        try:
            while self.state is not State.CLOSED and (body := self._reader.next()) is not None:
                message = McpMessage(mcp_payload(body)) if self.state is State.STREAM else decode(body)
                self._conversation.advance(self._theirs, message)
                self._lift_limit()
                messages.append(message)
        except LocalProtocolError as error:
            self._conversation.close()
            raise RemoteProtocolError(str(error)) from None
        except RemoteProtocolError:
            self._conversation.close()
            raise
        return messages

    def _lift_limit(self) -> None:
        if self.state is State.READY:
            self._reader.frame_bytes_max = FRAME_BYTES_MAX


class ClientSession(_Session):
    """The client's side of one connection."""

    def __init__(self) -> None:
        super().__init__(Side.CLIENT)
        self._ids = itertools.count(1)

    def offer(
        self,
        *,
        name: str,
        version: str,
        pid: int,
        protocol_min: int = PROTOCOL_MIN,
        protocol_max: int = PROTOCOL_MAX,
    ) -> bytes:
        """The first frame; the daemon's ``Answer`` or ``Refusal`` comes back. ``name`` is the program's."""
        return self._send(
            Offer(protocol_min=protocol_min, protocol_max=protocol_max, name=name, version=version, pid=pid)
        )

    def request(self, method: str, params: Message, *, request_id: int | None = None) -> tuple[int, bytes]:
        """Begin a request; returns its id and the bytes to send.

        Without ``request_id`` (1 to ``REQUEST_ID_MAX``) the session picks the next unused one.
        """
        if request_id is None:
            request_id = next(number for number in self._ids if number not in self._conversation.in_flight)
        if not 1 <= request_id <= REQUEST_ID_MAX:
            raise LocalProtocolError(
                f"A request id is a number from 1 to {REQUEST_ID_MAX}, not {request_id}."
            )
        return request_id, self._send(Request(request_id, method, _raw(params)))

    def cancel(self, request_id: int) -> bytes:
        """Say that the answer is no longer wanted; the request still ends with a ``Reply`` or ``Failure``."""
        return self._send(Cancel(request_id))

    def receive(self, data: bytes) -> list[FromDaemon]:
        """What the daemon said in ``data``, which may end anywhere."""
        return self._receive(data, _decode_from_daemon)


class DaemonSession(_Session):
    """The daemon's side of one connection."""

    def __init__(self) -> None:
        super().__init__(Side.DAEMON)

    @property
    def protocol(self) -> int | None:
        """The number to speak with this client.

        ``None`` before its offer, and where ``refuse`` is the only way.
        """
        offer = self._conversation.offer
        return None if offer is None else choose(offer.protocol_min, offer.protocol_max)

    def answer(
        self,
        *,
        version: str,
        instance: str,
        capabilities: tuple[str, ...],
        state: str,
        pid: int,
        interpreter: str,
    ) -> bytes:
        """Accept the offer."""
        if self.protocol is None:
            raise LocalProtocolError(
                "There is no protocol number to answer with: the offer has to be refused."
            )
        return self._send(
            Answer(
                protocol=self.protocol,
                version=version,
                instance=instance,
                capabilities=capabilities,
                state=state,
                pid=pid,
                interpreter=interpreter,
            )
        )

    def refuse(self, *, version: str, reason: str, remedy: str) -> bytes:
        """Turn the client away, before or after its offer.

        The connection is to be closed when this is sent.
        """
        return self._send(
            Refusal(
                protocol_min=PROTOCOL_MIN,
                protocol_max=PROTOCOL_MAX,
                version=version,
                reason=reason,
                remedy=remedy,
            )
        )

    def reply(self, request_id: int, result: Message) -> bytes:
        """End a request well. Raises ``FrameTooLargeError`` if ``result`` does not fit.

        The request is in flight still.
        """
        return self._send(Reply(request_id, _raw(result)))

    def fail(
        self,
        request_id: int,
        code: ErrorCode,
        *,
        message: str,
        remedy: str = "",
        candidates: tuple[str, ...] = (),
    ) -> bytes:
        """End a request with a sentence, what to do about it, and the nearest valid values."""
        return self._send(Failure(request_id, code.value, message, remedy, candidates))

    def event(self, request_id: int, name: str, *, data: Message) -> bytes:
        """Tell of something within a request that goes on."""
        return self._send(Event(request_id, name, _raw(data)))

    def receive(self, data: bytes) -> list[FromClient]:
        """What the client said in ``data``, which may end anywhere."""
        return self._receive(data, _decode_from_client)


def decode_params(request: Request) -> Message:
    """The parameters of a request, of the type that ``METHODS`` has for its method.

    Raises ``UnknownMethodError`` or ``InvalidParamsError``, which are to become a ``Failure``.
    """
    method = METHODS.get(request.method)
    if method is None:
        import difflib  # only a client of another version ever needs it

        nearest = tuple(difflib.get_close_matches(request.method, METHODS))
        raise UnknownMethodError(
            f"This daemon has no method {request.method!r}.",
            remedy="If the client is newer than the daemon, restart the daemon.",
            candidates=nearest,
        )
    try:
        return _unpacked(request.params, method.params)
    except _MALFORMED as error:
        raise InvalidParamsError(
            f"The parameters of {request.method} cannot be read: {error}.",
            remedy="Correct the parameter and ask again.",
        ) from error


def decode_result(reply: Reply, result: type[M]) -> M:
    """The result in a reply, of the type that ``METHODS`` has for the request's method.

    May raise ``RemoteProtocolError``.
    """
    try:
        return _unpacked(reply.result, result)
    except _MALFORMED as error:
        raise RemoteProtocolError(f"The result of request {reply.id} cannot be read: {error}.") from error


def decode_event(event: Event, data: type[M]) -> M:
    """The data of an event, of the type that belongs to its name; may raise ``RemoteProtocolError``."""
    try:
        return _unpacked(event.data, data)
    except _MALFORMED as error:
        raise RemoteProtocolError(f"The event {event.name!r} cannot be read: {error}.") from error


# A bomb of nested arrays makes msgspec raise RecursionError, also where it only skips a field.
_MALFORMED = (msgspec.DecodeError, RecursionError)


def _unpacked(data: msgspec.Raw, kind: type[M]) -> M:
    return msgspec.msgpack.decode(data, type=kind)


def _decode_from_client(body: bytes) -> Offer | Request | Cancel:
    try:
        return _from_client.decode(body)
    except _MALFORMED as error:
        raise RemoteProtocolError(f"The client sent a message that cannot be read: {error}.") from error


def _decode_from_daemon(body: bytes) -> Answer | Refusal | Reply | Failure | Event:
    try:
        return _from_daemon.decode(body)
    except _MALFORMED as error:
        raise RemoteProtocolError(f"The daemon sent a message that cannot be read: {error}.") from error


def _packed(message: Message) -> bytes:
    try:
        return _encoder.encode(message)
    except UnicodeEncodeError as error:
        raise LocalProtocolError(f"{error.object!r} is not Unicode text and cannot be sent.") from error


def _raw(message: Message) -> msgspec.Raw:
    return msgspec.Raw(_packed(message))
