"""Ignore files in force in one folder, and what they say of the entries in it. Pure; any thread.

Precedence, first that has a matching line: ``.mdmemignore`` files from the innermost outwards, whose ``!x``
brings back what git ignores; then git's: ``.gitignore`` files from the innermost to the top of the work tree,
``info/exclude``, the user's file. Within one file the last matching line decides. A folder that is out takes
along all that is in it, and nothing inside can bring that back, except what git tracks: a tracked file is
never ignored by git's rules, so an ignored folder that holds some is walked for these alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from mdmemd.sync.exclusion import Exclusion
from mdmemd.sync.patterns import Pattern, PatternList, octets


@dataclass(frozen=True, slots=True)
class TrackedFiles:
    """What git tracks of a work tree, by paths relative to its top; ``folders`` lie around the files."""

    paths: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """One ignore file.

    Attributes:
        rule: ``.mdmemignore`` or ``gitignore``.
        source: as it is shown, relative to the root or absolute.
        patterns: its lines.
        skipped: how many bytes of a root-relative path lead to the folder that the patterns start from.
        above: what leads from that folder down to the root, where it lies above it; ends with ``/``.
    """

    rule: str
    source: str
    patterns: PatternList
    skipped: int = 0
    above: str = ""

    def match(self, path: str, name: str, *, is_folder: bool) -> Pattern | None:
        """The line that decides on a root-relative path, given in ``octets``."""
        from_folder = self.above + path if self.above else path[self.skipped :]
        return self.patterns.match(from_folder, name, is_folder=is_folder)

    def exclusion(self, pattern: Pattern) -> Exclusion:
        """The reason that this line is."""
        sentence = f"ignored by {self.source}:{pattern.line} ({pattern.shown})"
        return Exclusion(self.rule, sentence, pattern.shown, self.source, pattern.line)


@dataclass(frozen=True, slots=True)
class FolderRules:
    """The ignore files in force in one folder.

    Attributes:
        own: ``.mdmemignore`` files, innermost first.
        git: git's ignore files in order of precedence.
        top: root-relative path of the work tree that the folder lies in, with ``/`` at the end; empty for the
            root itself.
        above: what leads from the top of the work tree down to the root, where that lies above it.
        tracked: what git tracks of it; asked only about what its rules would ignore.
        ignores_case: whether the repository compares names without regard to case.
        ignored: the reason where only tracked files of this folder count.
    """

    own: tuple[IgnoreFile, ...] = ()
    git: tuple[IgnoreFile, ...] = ()
    top: str = ""
    above: str = ""
    tracked: Callable[[], TrackedFiles] = field(default=TrackedFiles)
    ignores_case: bool = False
    ignored: Exclusion | None = None

    def file_exclusion(self, path: str, name: str) -> Exclusion | None:
        """Why a Markdown file in this folder is out; ``path`` is relative to the root."""
        if not self.own and not self.git:
            return None
        decided, found = self._judge(path, name, is_folder=False)
        if found is None or decided:
            return found
        return None if self._from_top(path) in self.tracked().paths else found

    def enter(self, path: str, name: str) -> FolderRules | Exclusion:
        """The rules that a folder in this folder begins with, or why it is out."""
        decided, found = self._judge(path, name, is_folder=True)
        if found is None:
            return self
        if not decided and self._from_top(path) in self.tracked().folders:
            return self if found == self.ignored else replace(self, ignored=found)
        return found

    def _judge(self, path: str, name: str, *, is_folder: bool) -> tuple[bool, Exclusion | None]:
        """The reason, if any, and whether that is the last word: git's rules do not touch what it tracks."""
        path, name = octets(path), octets(name)
        for file in self.own:
            if pattern := file.match(path, name, is_folder=is_folder):
                if not pattern.negated:
                    return True, file.exclusion(pattern)
                if self.ignored is None:
                    return True, None
                break
        if self.ignored is not None:
            return False, self.ignored
        for file in self.git:
            if pattern := file.match(path, name, is_folder=is_folder):
                return False, None if pattern.negated else file.exclusion(pattern)
        return False, None

    def _from_top(self, path: str) -> str:
        return self.above + path.removeprefix(self.top)
