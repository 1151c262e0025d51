"""What can go wrong on the wire: the codes that travel in a ``Failure``, and the exceptions of this package.

Invariants: codes are never renamed or reused; a client treats a code that it does not know like ``internal``.
The exceptions are sorted by who must act: a ``LocalProtocolError`` is a bug of the program that raises it, a
``RemoteProtocolError`` one of its peer, after which the connection is of no more use. Every ``str(error)`` is
a sentence that can be shown to a person.

Imports little on purpose: the MCP shim starts with this module.
"""

from __future__ import annotations

from enum import StrEnum


class ErrorCode(StrEnum):
    """``Failure.code``; the docstring of each says what a client should do."""

    INVALID_REQUEST = "invalid_request"
    """The parameters cannot be meant: show message and remedy; sending the same again is pointless."""

    UNKNOWN_METHOD = "unknown_method"
    """This daemon has no such method: it is probably older than the client.

    Suggest a restart of the daemon.
    """

    NOT_FOUND = "not_found"
    """The named root, document or section does not exist: offer ``candidates``."""

    AMBIGUOUS = "ambiguous"
    """The name fits several things: let the caller choose one of ``candidates``."""

    REFUSED = "refused"
    """Possible but not allowed: show message and remedy; don't retry."""

    BUSY = "busy"
    """Too much is going on: retry after a pause, at most a few times."""

    TOO_LARGE = "too_large"
    """The answer does not fit a frame, or a place its limit of bytes: ask for less, or allow more."""

    CANCELLED = "cancelled"
    """The request ended because its client cancelled it: nothing to do."""

    UNAVAILABLE = "unavailable"
    """What the answer needs is not there now (model still loading, daemon stopping): retry later."""

    INTERNAL = "internal"
    """A bug of the daemon: show the message, which names the log entry; the connection is still good."""


class ProtocolError(Exception):
    """Base of the two below; not raised itself."""

    def __init__(self, message: str) -> None:
        if type(self) is ProtocolError:
            raise TypeError("raise LocalProtocolError or RemoteProtocolError")
        super().__init__(message)


class LocalProtocolError(ProtocolError):
    """We were about to break the protocol: a bug here. Nothing was sent and the session is unchanged."""


class FrameTooLargeError(LocalProtocolError):
    """What we were about to send does not fit a frame; a daemon turns it into ``too_large``."""


class RemoteProtocolError(ProtocolError):
    """The peer broke the protocol: close the connection. Frames that came in the same bytes are void."""


class RequestError(Exception):
    """A request that cannot be served: becomes a ``Failure``, the connection goes on; not raised itself."""

    code: ErrorCode

    def __init__(self, message: str, *, remedy: str = "", candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.remedy = remedy
        self.candidates = candidates


class UnknownMethodError(RequestError):
    """The method is not in the table of this build; ``candidates`` are the nearest ones."""

    code = ErrorCode.UNKNOWN_METHOD


class InvalidParamsError(RequestError):
    """The parameters do not fit the method."""

    code = ErrorCode.INVALID_REQUEST


class DeclinedError(Exception):
    """The daemon said no to an offer or to ``mcp.open``: a ``Refusal`` or a ``Failure`` as an exception."""

    def __init__(self, message: str, *, remedy: str, code: str) -> None:
        super().__init__(message)
        self.remedy = remedy
        self.code = code


class EndpointError(Exception):
    """The environment does not say, or says wrongly, where the socket and the folders are."""

    def __init__(self, message: str, *, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy
