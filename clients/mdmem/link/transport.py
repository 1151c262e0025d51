"""One connection to the daemon: a blocking socket that pumps a ``ClientSession``, waits under a deadline.

Invariants: one request at a time, on one thread at a time; after a call that ended in anything but a result
or a ``Failure`` the connection is closed, because an answer that nobody waits for could still come; a
daemon that accepts and never answers ends in an error with advice and never in a hang. Used by
``mdmem.link.line`` only.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import TypeVar

from mdmem.errors import (
    ConnectionLostError,
    DaemonUnavailableError,
    InvalidRequestError,
    from_failure,
)
from mdmem.link.deadline import Deadline
from mdmem_proto.envelope import Answer, Event, Failure, Refusal, Reply
from mdmem_proto.errors import LocalProtocolError, RemoteProtocolError
from mdmem_proto.limits import HANDSHAKE_TIMEOUT_SECONDS
from mdmem_proto.messages import Message
from mdmem_proto.release import VERSION
from mdmem_proto.session import ClientSession, FromDaemon, decode_result

RECEIVE_BYTES = 256 * 1024

R = TypeVar("R", bound=Message)


class Connection:
    """A connection whose handshake is done; ``daemon`` is what the other side said of itself."""

    def __init__(self, connected: socket.socket, *, lock_path: str) -> None:
        """Greet the daemon over a connected socket, which belongs to this object from now on.

        ``lock_path`` is named in the advice where the daemon stays silent: the file holds its process number.

        Raises:
            ConnectionLostError: it ended the connection, as one that is stopping does.
            DaemonUnavailableError: no answer within ``HANDSHAKE_TIMEOUT_SECONDS``, a refusal, or no mdmem
                daemon at all.
        """
        self._socket = connected
        self._session = ClientSession()
        self._advice = f"If it stays like that, end it (its process number is in {lock_path}) and try again."
        try:
            self.daemon = self._greet(Deadline(HANDSHAKE_TIMEOUT_SECONDS))
        except BaseException:
            self.close()
            raise

    def call(
        self,
        method: str,
        params: Message,
        result: type[R],
        *,
        deadline: Deadline,
        on_event: Callable[[Event], None] | None = None,
    ) -> R:
        """Send one request and wait for its end; an event counts as a sign of life and restarts the deadline.

        Raises:
            ConnectionLostError: the daemon went away before the end.
            DaemonUnavailableError: it stayed silent, or does not speak the protocol.
            MdmemError: whatever the daemon's ``Failure`` stands for.
        """
        try:
            end = self._exchange(method, params, deadline, on_event)
            if isinstance(end, Reply):
                return decode_result(end, result)
        except LocalProtocolError as error:
            # The request cannot be put on the wire, and nothing was: the connection is as good as before.
            raise InvalidRequestError(str(error)) from error
        except RemoteProtocolError as error:
            self.close()
            raise _misunderstanding(error) from error
        except BaseException:
            self.close()
            raise
        raise from_failure(end.code, end.message, remedy=end.remedy, candidates=end.candidates)

    def is_open(self) -> bool:
        """Whether the daemon has not ended the connection meanwhile, as far as is known here."""
        if self._socket.fileno() < 0:
            return False
        try:
            self._socket.settimeout(0.0)
            return self._socket.recv(1, socket.MSG_PEEK) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def close(self) -> None:
        """End the connection; the daemon gives up whatever still runs for it."""
        self._socket.close()

    def _greet(self, deadline: Deadline) -> Answer:
        try:
            self._send(self._session.offer(name="mdmem", version=VERSION, pid=os.getpid()), deadline)
            messages = self._receive(deadline)
        except RemoteProtocolError as error:
            raise _misunderstanding(error) from error
        first = messages[0]
        if isinstance(first, Refusal):
            raise DaemonUnavailableError(
                f"The daemon (version {first.version}) turned us (version {VERSION}) away: {first.reason}",
                remedy=first.remedy,
            )
        assert isinstance(first, Answer)  # the session lets nothing else through at this point
        return first

    def _exchange(
        self, method: str, params: Message, deadline: Deadline, on_event: Callable[[Event], None] | None
    ) -> Reply | Failure:
        _id, request = self._session.request(method, params)
        self._send(request, deadline)
        while True:
            for message in self._receive(deadline):
                if isinstance(message, Reply | Failure):
                    return message
                deadline.restart()
                if isinstance(message, Event) and on_event is not None:
                    on_event(message)

    def _send(self, data: bytes, deadline: Deadline) -> None:
        self._set_timeout(deadline)
        try:
            self._socket.sendall(data)
        except TimeoutError as error:
            raise self._silence(deadline) from error
        except (BrokenPipeError, ConnectionResetError):
            pass  # what the daemon said before it closed may still be there, and is the better reason

    def _receive(self, deadline: Deadline) -> list[FromDaemon]:
        """At least one message."""
        while True:
            self._set_timeout(deadline)
            try:
                data = self._socket.recv(RECEIVE_BYTES)
            except TimeoutError as error:
                raise self._silence(deadline) from error
            except ConnectionResetError:
                data = b""
            if not data:
                raise ConnectionLostError(
                    "The daemon ended the connection before it had answered.", remedy="Run the command again."
                )
            if messages := self._session.receive(data):
                return messages

    def _set_timeout(self, deadline: Deadline) -> None:
        # 0 would mean a non-blocking socket and not a timeout that has passed.
        self._socket.settimeout(max(deadline.remaining_seconds(), 0.001))

    def _silence(self, deadline: Deadline) -> DaemonUnavailableError:
        return DaemonUnavailableError(
            f"The daemon accepted the connection, but has been silent for {deadline.seconds:g} s.",
            remedy=self._advice,
        )


def _misunderstanding(error: RemoteProtocolError) -> DaemonUnavailableError:
    return DaemonUnavailableError(
        f"The daemon does not speak the protocol of this program. {error}",
        remedy="End the daemon; the next command starts the one that belongs to this program.",
    )
