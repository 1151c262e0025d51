"""Reads the ignore files of a tree on the way down: from a folder's entries to the rules in force in it.

One reader belongs to one walk or one look: it notes which files it has read (``ignore_files``: whoever sees
one of them change must walk again) and what was wrong (``problems``). Compiled files are kept across walks by
their content.

Invariants: every file is read through the ``FileSystem`` port and bounded; one that cannot be used counts as
empty, and that is a problem, not an error; links are not followed, as in git. Ignore files above the root
count where the root lies in a repository, unless they ignore the root itself: whoever registers an ignored
folder wants it. Runs on the writer's thread, and on the query pool for ``why``.
"""

from __future__ import annotations

import errno
import functools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mdmemd.model import Fingerprint, Problem
from mdmemd.ports import EntryKind, FileSystem
from mdmemd.sync.exclusion import Exclusion
from mdmemd.sync.git_knowledge import GitKnowledge
from mdmemd.sync.globs import Globs
from mdmemd.sync.ignore_rules import FolderRules, IgnoreFile, TrackedFiles
from mdmemd.sync.local_settings import BYTES_MAX, LocalSettings, parse_local_settings
from mdmemd.sync.local_settings import NAME as LOCAL_SETTINGS
from mdmemd.sync.patterns import PatternList, octets, parse_patterns
from mdmemd.sync.repository import Repository, repository_around, repository_at

GITIGNORE = ".gitignore"
MDMEMIGNORE = ".mdmemignore"
RULE_FILES = frozenset({GITIGNORE, MDMEMIGNORE, LOCAL_SETTINGS, ".git"})
"""Entries that may change which files of their folder, and of those inside, belong to the root."""

IGNORE_BYTES_MAX = 128 * 1024
PATTERNS_MAX = 2000
"""A file with more is not used: the longest ignore files in public repositories have some hundred lines."""

FILES_COMPILED_MAX = 256


@dataclass(frozen=True, slots=True)
class LocalRules:
    """What ``.mdmem.toml`` of the root says."""

    exclude: Globs = field(default_factory=lambda: Globs(()))
    file_bytes_max: int | None = None


class RuleReader:
    """Reads the rules of the root at the absolute path ``folder``.

    ``suffixes`` are the endings of the files that will be asked about. Without ``git`` nothing counts as
    tracked.
    """

    def __init__(
        self, files: FileSystem, folder: str, *, suffixes: tuple[str, ...], git: GitKnowledge | None
    ) -> None:
        self.ignore_files: dict[str, Fingerprint] = {}
        self.problems: dict[str, Problem] = {}
        self.local = LocalRules()
        self._files = files
        self._folder = folder
        self._suffixes = suffixes
        self._git = git

    def above_root(self) -> FolderRules:
        """The rules that the root's folder begins with: those of the repository that it lies in."""
        if repository_at(self._files, self._folder) is not None:
            return FolderRules()
        repository = repository_around(self._files, self._folder)
        if repository is None:
            return FolderRules()
        down = os.path.relpath(self._folder, repository.top).split(os.sep)
        rules = self._in_repository(repository, FolderRules(), top="", above="/".join(down) + "/")
        placed = [(0, file) for file in rules.git]
        for depth in range(len(down)):
            path = os.path.join(repository.top, *down[:depth], GITIGNORE)
            file = self._read(path, path, above="/".join(down[depth:]) + "/", case=rules.ignores_case)
            placed = [(depth, file), *placed] if file else placed
            if _ignores(placed, down[: depth + 1]):
                return replace(rules, git=())
        return replace(rules, git=tuple(file for _, file in placed))

    def enter(
        self, rules: FolderRules, inside: str, present: Mapping[str, EntryKind]
    ) -> FolderRules | Exclusion:
        """The rules in a folder that begins with ``rules`` and holds ``present``.

        ``present`` are those of its entries that are in ``RULE_FILES``; ``inside`` is its root-relative path.
        Gives the reason instead where the folder turns out to be a linked work tree.
        """
        if not present:
            return rules
        prefix = f"{inside}/" if inside else ""
        absolute = os.path.join(self._folder, inside) if inside else self._folder
        if ".git" in present and (repository := repository_at(self._files, absolute)):
            if inside and repository.is_linked:
                sentence = (
                    f"{inside} is a linked work tree of {repository.common_folder}, another checkout of the "
                    "same documents; it can be a root of its own"
                )
                return Exclusion("worktree", sentence, source=f"{prefix}.git")
            rules = self._in_repository(repository, rules, top=prefix, above="")
        if present.get(GITIGNORE) is EntryKind.FILE:
            path = f"{absolute}/{GITIGNORE}"
            file = self._read(path, prefix + GITIGNORE, inside=prefix, case=rules.ignores_case)
            rules = replace(rules, git=(file, *rules.git)) if file else rules
        if present.get(MDMEMIGNORE) is EntryKind.FILE:
            path = f"{absolute}/{MDMEMIGNORE}"
            file = self._read(path, prefix + MDMEMIGNORE, inside=prefix, case=rules.ignores_case)
            rules = replace(rules, own=(file, *rules.own)) if file else rules
        if not inside and present.get(LOCAL_SETTINGS) is EntryKind.FILE:
            self.local = self._read_local(f"{absolute}/{LOCAL_SETTINGS}")
        return rules

    def present(self, inside: str) -> dict[str, EntryKind]:
        """The entries of a root-relative folder that are in ``RULE_FILES``, without listing it."""
        folder = os.path.join(self._folder, inside) if inside else self._folder
        found: dict[str, EntryKind] = {}
        for name in sorted(RULE_FILES):
            try:
                found[name] = self._files.entry_kind(os.path.join(folder, name))
            except OSError:
                continue  # most folders have none of them
        return found

    def _in_repository(
        self, repository: Repository, rules: FolderRules, *, top: str, above: str
    ) -> FolderRules:
        """The rules at the top of a work tree: those of any other one around it do not count in it."""
        outside = [os.path.join(repository.common_folder, "info", "exclude")]
        if self._git is not None and (users := self._git.user_ignore_file()):
            outside.append(users)
        read = [
            self._read(path, path, inside=top, above=above, case=repository.ignores_case)
            for path in outside
            if self._exists(path)
        ]
        found = tuple(file for file in read if file is not None)
        tracked = self._tracked(repository, top)
        return FolderRules(
            rules.own, found, top=top, above=above, tracked=tracked, ignores_case=repository.ignores_case
        )

    def _tracked(self, repository: Repository, top: str) -> Callable[[], TrackedFiles]:
        @functools.cache  # one answer for a whole walk
        def ask() -> TrackedFiles:
            if self._git is None:
                return TrackedFiles()
            answer = self._git.tracked(repository)
            if answer.problem is not None:
                message = (
                    f"which of the ignored files are tracked is not known, so all are left out: "
                    f"{answer.problem}"
                )
                self.problems[f"{top}.git"] = Problem("git_unavailable", message)
            return answer.tracked

        return ask

    def _read(
        self, path: str, source: str, *, inside: str = "", above: str = "", case: bool = False
    ) -> IgnoreFile | None:
        """An ignore file by its absolute path; ``None`` where it has no lines or cannot be used."""
        try:
            content, seen = self._files.read(path, bytes_max=IGNORE_BYTES_MAX)
        except OSError as error:
            if error.errno == errno.EFBIG:
                self._refuse(source, f"is larger than {IGNORE_BYTES_MAX // 1024} KiB")
            elif not isinstance(error, FileNotFoundError):
                self._refuse(source, f"cannot be read: {error.strerror}")
            return None
        self.ignore_files[path] = seen
        patterns = _compiled(content, self._suffixes, ignores_case=case)
        if patterns is None:
            self._refuse(source, f"has more than {PATTERNS_MAX} patterns")
            return None
        rule = MDMEMIGNORE if path.endswith(f"/{MDMEMIGNORE}") else "gitignore"
        return IgnoreFile(rule, source, patterns, skipped=len(octets(inside)), above=octets(above))

    def _read_local(self, path: str) -> LocalRules:
        try:
            content, seen = self._files.read(path, bytes_max=BYTES_MAX)
        except OSError as error:
            self._refuse(LOCAL_SETTINGS, f"cannot be read: {error.strerror}")
            return LocalRules()
        self.ignore_files[path] = seen
        settings: LocalSettings = parse_local_settings(content)
        if settings.problems:
            self.problems[LOCAL_SETTINGS] = Problem("local_settings", "; ".join(settings.problems))
        return LocalRules(Globs(settings.exclude), settings.file_bytes_max)

    def _refuse(self, source: str, why: str) -> None:
        self.problems[source] = Problem("ignore_file", f"{why}, so it is not used")

    def _exists(self, path: str) -> bool:
        try:
            self._files.entry_kind(path)
        except OSError:
            return False
        return True


def _ignores(placed: Sequence[tuple[int, IgnoreFile]], folder: Sequence[str]) -> bool:
    """Whether a folder above the root is ignored, by its names from the work tree's top.

    Each file comes with the number of names that lead to its own folder.
    """
    for depth, file in placed:
        path = octets("/".join(folder[depth:]))
        if pattern := file.patterns.match(path, octets(folder[-1]), is_folder=True):
            return not pattern.negated
    return False


@functools.lru_cache(maxsize=FILES_COMPILED_MAX)
def _compiled(content: bytes, suffixes: tuple[str, ...], *, ignores_case: bool) -> PatternList | None:
    patterns = parse_patterns(content.decode("latin-1"))
    if len(patterns) > PATTERNS_MAX:
        return None
    return PatternList(patterns, suffixes=suffixes, ignores_case=ignores_case)
