"""A file of the daemon's own whose renaming shows up among the events: whoever sees it has seen all before.

The one file ``caught-up.NUMBER`` in a private folder gets the next number with each question, so nothing
grows, and an event tells which question it answers. Invariants: a number is told apart from all before it; a
waiter is released by its own or a later number only. ``ask`` and ``wait`` on any thread, ``reached`` on the
watcher's.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading

log = logging.getLogger(__name__)

PREFIX = "caught-up."


class Marker:
    """The file in ``folder`` (absolute), which is made where it is not there."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._changed = threading.Condition()
        self._asked = 0
        self._reached = 0
        self._closed = False

    def prepare(self) -> None:
        """Make the folder, and remove what an earlier daemon left. Raises ``OSError``."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        for name in os.listdir(self.folder):
            if name.startswith(PREFIX) and name != self._name(self._asked):
                os.unlink(os.path.join(self.folder, name))

    def ask(self) -> int | None:
        """Rename the file; the number to wait for, or ``None`` where that cannot be done now."""
        with self._changed:
            old, self._asked = self._path(self._asked), self._asked + 1
            try:
                try:
                    os.rename(old, self._path(self._asked))
                except FileNotFoundError:
                    self.prepare()
                    os.close(os.open(old, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
                    os.rename(old, self._path(self._asked))
            except OSError as error:
                log.warning("%s cannot be used to await events: %s", self.folder, error.strerror)
                self._asked -= 1
                return None
            return self._asked

    def asked(self) -> int:
        """The last number that was given out."""
        with self._changed:
            return self._asked

    def number(self, name: str) -> int:
        """The number in a file's name, 0 where it is another file."""
        digits = name.removeprefix(PREFIX)
        return int(digits) if name.startswith(PREFIX) and digits.isdecimal() else 0

    def reached(self, number: int) -> None:
        """All hints of events before this number have been given."""
        with self._changed:
            if number > self._reached:
                self._reached = number
                self._changed.notify_all()

    def wait(self, number: int, *, timeout_seconds: float) -> bool:
        """Whether ``number`` was reached in time."""
        with self._changed:
            self._changed.wait_for(lambda: self._reached >= number or self._closed, timeout_seconds)
            return self._reached >= number

    def close(self) -> None:
        """Remove the file and let all who wait go."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            with contextlib.suppress(OSError):
                os.unlink(self._path(self._asked))

    def _name(self, number: int) -> str:
        return f"{PREFIX}{number}"

    def _path(self, number: int) -> str:
        return os.path.join(self.folder, self._name(number))
