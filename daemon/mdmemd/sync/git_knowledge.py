"""What git tracks, kept as long as the index file of the work tree is the same.

Shared by all roots; any thread: answers are replaced as a whole, and at worst one is asked for twice. Where
git cannot tell, ``problem`` of the answer says why, and nothing counts as tracked; it is asked again when the
index file changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mdmemd.model import Fingerprint
from mdmemd.ports import FileSystem, Repositories
from mdmemd.sync.ignore_rules import TrackedFiles
from mdmemd.sync.repository import Repository

TREES_REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class TrackedAnswer:
    """What is tracked, or why that is not known."""

    tracked: TrackedFiles
    problem: str | None = None


class GitKnowledge:
    """Asks ``Repositories`` and remembers."""

    def __init__(self, repositories: Repositories, files: FileSystem, *, suffixes: Sequence[str]) -> None:
        self._repositories = repositories
        self._files = files
        self._suffixes = tuple(suffixes)
        self._trees: dict[str, tuple[Fingerprint | None, TrackedAnswer]] = {}
        self._user_file: tuple[str | None] | None = None

    def tracked(self, repository: Repository) -> TrackedAnswer:
        """The tracked Markdown files of a work tree. May start a process."""
        try:
            index = self._files.fingerprint(repository.index)
        except OSError:
            index = None
        known = self._trees.get(repository.top)
        if known is not None and known[0] == index:
            return known[1]
        answer = self._ask(repository.top) if index is not None else TrackedAnswer(TrackedFiles())
        if len(self._trees) >= TREES_REMEMBERED:
            self._trees = {}
        self._trees[repository.top] = (index, answer)
        return answer

    def user_ignore_file(self) -> str | None:
        """The user's own ignore file for all repositories; asked once."""
        if self._user_file is None:
            self._user_file = (self._repositories.user_ignore_file(),)
        return self._user_file[0]

    def _ask(self, top: str) -> TrackedAnswer:
        try:
            paths = self._repositories.tracked(top, suffixes=self._suffixes)
        except OSError as error:
            return TrackedAnswer(TrackedFiles(), error.strerror or str(error))
        folders: set[str] = set()
        for path in paths:
            folder = path.rpartition("/")[0]
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
        return TrackedAnswer(TrackedFiles(paths, frozenset(folders)))
