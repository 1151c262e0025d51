"""What git would say of work trees, as a test sets it: behind the same port as the real one."""

from __future__ import annotations

import errno
from collections.abc import Sequence


class FakeRepositories:
    """``track`` says what is tracked, ``failure`` why git cannot tell; ``asked`` lists trees asked about."""

    def __init__(self) -> None:
        self.failure: OSError | None = None
        self.user_file: str | None = None
        self.asked: list[str] = []
        self._trees: dict[str, frozenset[str]] = {}

    def track(self, top: str, *paths: str) -> None:
        """Make ``top`` a work tree that tracks these relative paths."""
        self._trees[top] = frozenset(paths)

    def tracked(self, top: str, *, suffixes: Sequence[str]) -> frozenset[str]:
        """See the port."""
        self.asked.append(top)
        if self.failure is not None:
            raise self.failure
        if top not in self._trees:
            raise OSError(errno.EIO, "git refuses: fatal: not a git repository")
        return frozenset(path for path in self._trees[top] if path.lower().endswith(tuple(suffixes)))

    def user_ignore_file(self) -> str | None:
        """See the port."""
        return self.user_file
