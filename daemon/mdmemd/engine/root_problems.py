"""What is wrong with the files of one root: with looking at them, reading them, and in the documents.

Touched by the writer's thread only; what ``all`` gives is frozen and made anew only after a change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mdmemd.engine.report import FileProblem
from mdmemd.model import Problem


class RootProblems:
    """See the module. ``documents`` are the problems of documents that are indexed already."""

    def __init__(self, documents: Mapping[str, tuple[Problem, ...]]) -> None:
        self._read: dict[str, Problem] = {}
        self._documents = dict(documents)
        self._seen: Mapping[str, Problem] = {}
        self._all: tuple[FileProblem, ...] | None = None

    def looked(self, seen: Mapping[str, Problem]) -> bool:
        """All that looks at the disk could not look at, as it is now; returns whether that is news."""
        if seen == self._seen:
            return False
        self._seen = dict(seen)
        self._all = None
        return True

    def unreadable(self, path: str, problem: Problem) -> None:
        """A file could not be read or indexed."""
        self._read[path] = problem
        self._all = None

    def read(self, path: str) -> None:
        """A file was read: what was wrong with reading it is over."""
        if self._read.pop(path, None) is not None:
            self._all = None

    def indexed(self, path: str, problems: tuple[Problem, ...]) -> None:
        """A document was indexed with these problems, maybe none."""
        if problems != self._documents.get(path, ()):
            self._all = None
        self._documents.pop(path, None)
        if problems:
            self._documents[path] = problems

    def forget(self, path: str) -> None:
        """The file has gone, or its document has left the index."""
        self.read(path)
        self.indexed(path, ())

    def all(self) -> tuple[FileProblem, ...]:
        """Every problem, by path and line."""
        if self._all is None:
            single: Iterable[tuple[str, Problem]] = ({**self._seen, **self._read}).items()
            found = [FileProblem(path, problem) for path, problem in single]
            found += [
                FileProblem(path, problem) for path, several in self._documents.items() for problem in several
            ]
            found.sort(key=lambda item: (item.path, item.problem.line or 0))
            self._all = tuple(found)
        return self._all
