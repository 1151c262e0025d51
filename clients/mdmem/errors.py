"""What can go wrong for a client, with the exit code of the command and the remedy that the user reads.

Invariants: every error that leaves ``mdmem.link`` is one of these; ``str(error)`` is one clear sentence,
``remedy`` says what to do about it (empty where nothing helps), ``candidates`` are the nearest valid
values. At the bottom of the import graph of the clients and free of msgspec, so that the MCP shim can raise
them too.

Exit codes of ``mdmemctl``, which scripts rely on:

====  ====================================================================================================
code  meaning
====  ====================================================================================================
0     done; an empty answer is an answer
1     done in part: some of several places could not be read
2     usage: an unknown option, a missing argument, a question or a path that cannot be
3     the daemon is not running, cannot start, does not answer, is busy, or speaks another protocol
4     the named root, document or section does not exist, or the name fits several
5     refused: possible but not allowed
70    an error of mdmem itself
130   interrupted (Ctrl-C)
141   whoever read the output has gone (a broken pipe)
====  ====================================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from mdmem_proto.errors import ErrorCode

EXIT_DONE = 0
EXIT_PARTLY = 1
EXIT_USAGE = 2
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141


class MdmemError(Exception):
    """Base; not raised itself. ``code`` is the word that ``--json`` prints."""

    exit_code: ClassVar[int] = EXIT_INTERNAL
    default_code: ClassVar[ErrorCode] = ErrorCode.INTERNAL

    def __init__(
        self, message: str, *, remedy: str = "", candidates: Sequence[str] = (), code: str | None = None
    ) -> None:
        super().__init__(message)
        self.remedy = remedy
        self.candidates = tuple(candidates)
        self.code = code if code is not None else str(self.default_code)


class InvalidRequestError(MdmemError):
    """The request cannot be: the caller must change it."""

    exit_code = EXIT_USAGE
    default_code = ErrorCode.INVALID_REQUEST


class DaemonUnavailableError(MdmemError):
    """There is no daemon to ask, or it cannot answer now."""

    exit_code = 3
    default_code = ErrorCode.UNAVAILABLE


class DaemonNotRunningError(DaemonUnavailableError):
    """Nobody listens, and starting a daemon was not wanted."""


class ConnectionLostError(DaemonUnavailableError):
    """The daemon went away while a request was running; ``Client`` sends it again where that is safe."""


class NotFoundError(MdmemError):
    """The named root, document or section does not exist, or the name fits several of ``candidates``."""

    exit_code = 4
    default_code = ErrorCode.NOT_FOUND


class RefusedError(MdmemError):
    """Possible but not allowed."""

    exit_code = 5
    default_code = ErrorCode.REFUSED


class InternalError(MdmemError):
    """A bug of mdmem."""


_BY_CODE: dict[str, type[MdmemError]] = {
    ErrorCode.INVALID_REQUEST: InvalidRequestError,
    ErrorCode.UNKNOWN_METHOD: DaemonUnavailableError,
    ErrorCode.NOT_FOUND: NotFoundError,
    ErrorCode.AMBIGUOUS: NotFoundError,
    ErrorCode.REFUSED: RefusedError,
    ErrorCode.BUSY: DaemonUnavailableError,
    ErrorCode.TOO_LARGE: RefusedError,
    ErrorCode.CANCELLED: ConnectionLostError,  # no client here cancels: the daemon is stopping
    ErrorCode.UNAVAILABLE: DaemonUnavailableError,
    ErrorCode.INTERNAL: InternalError,
}


def from_failure(code: str, message: str, *, remedy: str = "", candidates: Sequence[str] = ()) -> MdmemError:
    """The error that a ``Failure`` stands for; a code of a later protocol becomes ``InternalError``."""
    kind = _BY_CODE.get(code, InternalError)
    return kind(message, remedy=remedy, candidates=candidates, code=code)
