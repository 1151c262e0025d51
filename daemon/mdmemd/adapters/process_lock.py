"""The lock that makes one daemon per instance, and the private folder that it lies in.

Invariants: a ``flock`` held for the life of the process, never a pid file: the kernel drops it however the
process ends, so a recycled pid can mean nothing. Only the holder may remove a stale socket. Taken by ``app``
on the main thread before anything slow.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat

from mdmemd.errors import OperatorError


def make_private_folder(path: str) -> None:
    """Make the folder 0700, or check that the existing one is ours and closed to others.

    A folder of ours that others may enter is tightened. Raises ``OperatorError`` with the path and the remedy
    where it belongs to somebody else, is no folder, or cannot be made.
    """
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        status = os.lstat(path)
        if not stat.S_ISDIR(status.st_mode):  # of ``lstat``: a link is none either
            raise OperatorError(
                f"{path} is not a folder of its own, so mdmem keeps nothing in it.",
                remedy=f"Remove {path} and start again.",
            )
        if status.st_uid != os.getuid():
            raise OperatorError(
                f"{path} belongs to user {status.st_uid}, so mdmem does not trust it.",
                remedy=f"Remove {path}, or set MDMEM_HOME to a folder of your own.",
            )
        if status.st_mode & 0o077:
            os.chmod(path, 0o700)
    except OSError as error:
        raise OperatorError(
            f"The folder {path} cannot be used: {os.strerror(error.errno or errno.EIO)}.",
            remedy=f"Make {path} writable for you, or set MDMEM_HOME to a folder that is.",
        ) from error


class ProcessLock:
    """An exclusive lock on one file."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self, *, socket_path: str) -> bool:
        """Take the lock without waiting; false where another process holds it.

        What is written into the file is for people (the pid) and for clients of a session whose run folder is
        another one (the socket). Raises ``OperatorError`` where it cannot be tried.
        """
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise OperatorError(
                f"The lock {self._path} cannot be opened: {error.strerror}.",
                remedy="Free some disk space or repair the permissions of its folder.",
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n{socket_path}\n".encode(), 0)
        except OSError:
            pass  # a full disk must not stop the daemon: the lock is the flock, the number is only for people
        return True

    def holder(self) -> int | None:
        """The pid that the holder wrote, for messages only."""
        try:
            with open(self._path, "rb") as file:
                return int(file.readline(32) or b"0") or None
        except (OSError, ValueError):
            return None

    def is_current(self) -> bool:
        """Whether the file that we hold is still the one that others would lock.

        It is not after somebody deleted the data folder: then another daemon may have taken our place.
        """
        if self._descriptor is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self._path))
        except OSError:
            return False

    def release(self) -> None:
        """Give the lock back.

        The file stays: removing it would let two processes lock two files of one name.
        """
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
