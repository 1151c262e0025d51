"""The eight messages that carry everything else: the handshake and the envelope of requests.

Invariants: ``Offer``, ``Answer`` and ``Refusal`` never change at all, so that any two builds can at least
part politely. Parameters, results and event data travel inside as raw msgpack, so an unknown method or a
malformed parameter costs one ``Failure`` and not the connection. Who may send which when:
``mdmem_proto.conversation``.

Frozen values; made and read by ``mdmem_proto.session``, on any thread.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from mdmem_proto.limits import REQUEST_ID_MAX
from mdmem_proto.messages import Message

RequestId = Annotated[int, Meta(ge=1, le=REQUEST_ID_MAX)]

# --- handshake: frozen for ever -----------------------------------------------------------------------------


class Offer(Message, frozen=True, tag_field="type", tag="offer"):
    """First frame of a client: the range of protocol numbers that it speaks, and who it is."""

    protocol_min: int
    protocol_max: int
    name: str
    version: str
    pid: int


class Answer(Message, frozen=True, tag_field="type", tag="answer"):
    """First frame of the daemon when it accepts: the highest number that both speak, and who it is."""

    protocol: int
    version: str
    instance: str
    capabilities: tuple[str, ...]
    state: str
    pid: int
    interpreter: str


class Refusal(Message, frozen=True, tag_field="type", tag="refusal"):
    """First and last frame of the daemon when it does not accept: its range, the reason and what to do."""

    protocol_min: int
    protocol_max: int
    version: str
    reason: str
    remedy: str


# --- envelope -----------------------------------------------------------------------------------------------


class Request(Message, frozen=True, tag_field="type", tag="request"):
    """Client to daemon: call ``method`` with the map ``params``; ``id`` is not that of another in flight."""

    id: RequestId
    method: str
    params: msgspec.Raw


class Cancel(Message, frozen=True, tag_field="type", tag="cancel"):
    """Client to daemon: the answer to request ``id`` is no longer wanted. Unknown ids are ignored."""

    id: RequestId


class Reply(Message, frozen=True, tag_field="type", tag="reply"):
    """Daemon to client: the one successful end of request ``id``."""

    id: RequestId
    result: msgspec.Raw


class Failure(Message, frozen=True, tag_field="type", tag="failure"):
    """Daemon to client: the one unsuccessful end of request ``id``.

    ``code`` is of ``mdmem_proto.errors.ErrorCode``, ``message`` one sentence for a person, ``remedy`` what to
    do about it, ``candidates`` the nearest valid values.
    """

    id: RequestId
    code: str
    message: str
    remedy: str = ""
    candidates: tuple[str, ...] = ()


class Event(Message, frozen=True, tag_field="type", tag="event"):
    """Daemon to client: something happened within request ``id``, which is still running."""

    id: RequestId
    name: str
    data: msgspec.Raw
