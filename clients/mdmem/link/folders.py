"""The private folders that a client needs before there is a daemon: for the start lock and for the log.

Invariants: what is made here is 0700 and ours; a folder of another user or a link in its place is never
used, because whoever owns the folder decides which socket answers in it. Called on the caller's thread,
only when the daemon has to be started. The daemon makes the same check of its own folders; the two programs
share no code but the wire contract.
"""

from __future__ import annotations

import errno
import os
import stat

from mdmem.errors import DaemonUnavailableError


def make_private_folder(path: str) -> None:
    """Make the folder 0700, or check that the existing one is ours; ours is closed to others.

    Raises:
        DaemonUnavailableError: with the path, the reason and the remedy.
    """
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        status = os.lstat(path)
        if not stat.S_ISDIR(status.st_mode):
            raise DaemonUnavailableError(
                f"{path} is a link and not a folder, so mdmem keeps nothing in it.",
                remedy=f"Remove {path} and try again.",
            )
        if status.st_uid != os.getuid():
            raise DaemonUnavailableError(
                f"{path} belongs to user {status.st_uid} and not to you, so mdmem does not trust it.",
                remedy=f"Remove {path}, or set MDMEM_HOME to a folder of your own.",
            )
        if status.st_mode & 0o077:
            os.chmod(path, 0o700)
        if not os.access(path, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    except OSError as error:
        raise DaemonUnavailableError(
            f"The folder {path} cannot be used: {os.strerror(error.errno or errno.EIO)}.",
            remedy=f"Make {path} a folder that you can write to, or set MDMEM_HOME to one that is.",
        ) from error
