"""One line to the daemon that is opened again when it was lost.

Invariants: a line belongs to one thread at a time; a lost connection is opened again, once for a call, and
the request is sent again only where the method table says that this is safe; everything that is raised is a
``mdmem.errors.MdmemError``. What the daemon says of itself in the handshake is kept in ``daemon``; ``notice``
is the sentence about a daemon of another build, never swallowed here.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from mdmem.errors import ConnectionLostError
from mdmem.link.build_notice import build_notice
from mdmem.link.deadline import Deadline
from mdmem.link.launch import dial_or_start
from mdmem.link.transport import Connection
from mdmem_proto import messages
from mdmem_proto.endpoint import Endpoint
from mdmem_proto.envelope import Answer, Event

FRESH_WAIT_SECONDS = 600.0
"""The longest that ``fresh`` may ask the daemon to wait."""

R = TypeVar("R", bound=messages.Message)


class Line:
    """An open line; a context manager."""

    def __init__(self, endpoint: Endpoint, *, start: bool, timeout_seconds: float) -> None:
        self._endpoint = endpoint
        self._start = start
        self._timeout_seconds = timeout_seconds
        self._connection = self._open(start=start)

    @property
    def daemon(self) -> Answer:
        """Version, process, interpreter and state of the daemon, as it said in the handshake."""
        return self._connection.daemon

    @property
    def socket_path(self) -> str:
        """The socket of this client's instance."""
        return self._endpoint.socket_path

    @property
    def notice(self) -> str | None:
        """One sentence with the remedy where the daemon is of another version or environment."""
        return build_notice(self.daemon)

    def close(self) -> None:
        """End the connection; the next call opens it again."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _patience(self, fresh: str) -> float:
        """How long to wait for an answer that itself may wait for the disk."""
        return self._timeout_seconds + (FRESH_WAIT_SECONDS if fresh.startswith("wait") else 0.0)

    def _reopen(self, *, start: bool) -> None:
        self._connection.close()
        self._connection = self._open(start=start)

    def _open(self, *, start: bool) -> Connection:
        try:
            return self._greet(start=start)
        except ConnectionLostError:  # it was just stopping: the next one is there, or may be started
            return self._greet(start=start)

    def _greet(self, *, start: bool) -> Connection:
        connected = dial_or_start(self._endpoint, start=start, timeout_seconds=self._timeout_seconds)
        return Connection(connected, lock_path=self._endpoint.lock_path)

    def _call(
        self,
        method: str,
        params: messages.Message,
        result: type[R],
        *,
        timeout_seconds: float | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> R:
        seconds = self._timeout_seconds if timeout_seconds is None else timeout_seconds
        if not self._connection.is_open():
            self._reopen(start=self._start)
        try:
            return self._connection.call(
                method, params, result, deadline=Deadline(seconds), on_event=on_event
            )
        except ConnectionLostError as error:
            if not messages.METHODS[method].idempotent:
                raise ConnectionLostError(
                    f"The daemon went away during {method}, which may or may not have been carried out.",
                    remedy="Look, for example with `mdmemctl root list`, before you run it again.",
                ) from error
        self._reopen(start=self._start)
        return self._connection.call(method, params, result, deadline=Deadline(seconds), on_event=on_event)
