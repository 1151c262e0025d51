"""The lock that lets one client at a time start the daemon.

Invariants: a ``flock``, so it goes with its holder however that ends; waiting for it costs nothing and is
bounded by the deadline. It is not the daemon's own lock: it is held for the seconds of a start, the
daemon's for the daemon's life. Any thread.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from mdmem.errors import DaemonUnavailableError
from mdmem.link.deadline import Deadline


@contextmanager
def start_lock(path: str, deadline: Deadline) -> Iterator[None]:
    """Hold the lock while inside.

    Raises:
        DaemonUnavailableError: it cannot be opened, or another client has not given it back in time.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise _unusable(path, error) from error
    _acquire(descriptor, path, deadline)
    try:
        yield
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, path: str, deadline: Deadline) -> None:
    """Take the lock; where that fails the descriptor is closed."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        _wait_for_turn(descriptor, path, deadline)
    except OSError as error:
        os.close(descriptor)
        raise _unusable(path, error) from error


def _wait_for_turn(descriptor: int, path: str, deadline: Deadline) -> None:
    # flock has no timeout and a signal would belong to the caller's main thread, so a thread waits in the
    # kernel for us. The future decides who owns the descriptor: a waiter that was given up closes it, so
    # nobody keeps the lock for nothing.
    turn: Future[None] = Future()
    threading.Thread(target=_block, args=(descriptor, turn), name="mdmem-start-lock", daemon=True).start()
    try:
        turn.result(deadline.remaining_seconds())
    except TimeoutError as error:
        if not turn.cancel():
            return  # it was our turn at the last moment
        raise DaemonUnavailableError(
            f"Another client has been starting the daemon for {deadline.seconds:g} s and still holds {path}.",
            remedy="Try again; if it stays like that, end that client.",
        ) from error
    except BaseException:
        if not turn.cancel():
            os.close(descriptor)
        raise


def _block(descriptor: int, turn: Future[None]) -> None:
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    if turn.set_running_or_notify_cancel():
        turn.set_result(None)
    else:
        os.close(descriptor)


def _unusable(path: str, error: OSError) -> DaemonUnavailableError:
    return DaemonUnavailableError(
        f"The lock {path} cannot be used: {error.strerror}.",
        remedy="Free some disk space or repair the permissions of its folder.",
    )
