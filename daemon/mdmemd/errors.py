"""Errors of the daemon, sorted by who must act.

Invariants: at the bottom of the import graph; every error that a user can cause carries one sentence
(``str(error)``) and a remedy; ``server.convert`` alone turns these into wire codes. Anything else that is
raised is our bug and becomes ``internal``.
"""

from __future__ import annotations


class DaemonError(Exception):
    """Base; not raised itself.

    ``remedy`` says what the reader can do, ``candidates`` the nearest valid values.
    """

    def __init__(self, message: str, *, remedy: str = "", candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.remedy = remedy
        self.candidates = candidates


class InvalidRequestError(DaemonError):
    """The caller asked for something that cannot be: the caller must change the request."""


class NotFoundError(DaemonError):
    """The named root, document or section does not exist."""


class AmbiguousError(DaemonError):
    """The name fits several things; ``candidates`` lists them."""


class RefusedError(DaemonError):
    """Possible but not allowed: the home folder as a root, a path that leaves its root, a foreign peer."""


class TooLargeError(DaemonError):
    """There is more of it than the caller allowed."""


class OperatorError(DaemonError):
    """The daemon cannot start or go on until somebody repairs its surroundings.

    Lock, permissions, a corrupt file.
    """


class ModelUnavailableError(DaemonError):
    """The embedding model cannot answer (still loading, foreign weights, failed); keyword search goes on."""


class DownloadError(DaemonError):
    """A model cannot be downloaded now: network, server, disk. What has arrived is kept for the next try."""
