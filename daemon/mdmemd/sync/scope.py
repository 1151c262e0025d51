"""Which files of a root are its documents: one rule object for scan, watch, read and search.

Rules, first that applies: a built-in prune (version control, virtual environments, caches: never worth
searching, often huge); a registered root inside this one (its files are that root's); an ``exclude`` glob of
the root or of all roots, or of ``.mdmem.toml``; ignore files (``ignore_rules``). For files also: a suffix
that is no Markdown, an editor's lock file, ``include`` globs of which none matches, and the size. They apply
below the root's folder only, wherever that lies. What a glob may be is said in ``globs``. Decides without
looking at files, but for the reader that it makes (``rule_reading``). Any thread.
"""

from __future__ import annotations

from collections.abc import Iterable

from mdmemd.model import RootSpec
from mdmemd.ports import FileSystem
from mdmemd.sync.exclusion import Exclusion
from mdmemd.sync.git_knowledge import GitKnowledge
from mdmemd.sync.globs import Globs
from mdmemd.sync.ignore_rules import FolderRules
from mdmemd.sync.rule_reading import LocalRules, RuleReader

SUFFIXES = (".md", ".markdown", ".mdx")
"""Case is ignored."""

FILE_BYTES_MAX = 10 * 1024 * 1024
"""Larger files are reported and not indexed."""

PRUNED_FOLDERS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".jj",
        "node_modules",
        "bower_components",
        ".venv",
        "venv",
        "site-packages",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
        ".tox",
        ".nox",
        ".cache",
        ".eggs",
        ".gradle",
        ".terraform",
        ".trash",
        ".Trash",
    }
)

NOT_MARKDOWN = Exclusion("suffix", "not Markdown (.md, .markdown, .mdx)")
LOCK_PREFIX = ".#"
"""Emacs makes a link of this name, to nowhere, beside every file that is being edited."""

_LOCK = Exclusion("built_in", "an editor's lock file", LOCK_PREFIX)
_NESTED = Exclusion("nested_root", "a root of its own")
_NOT_INCLUDED = Exclusion("include", "no include glob of the root matches it")
_BUILT_IN = {
    name: Exclusion("built_in", f"{name} folders are never indexed", name) for name in PRUNED_FOLDERS
}


class Scope:
    """The rules of one root. ``path`` arguments are root-relative POSIX paths.

    ``exclude`` are the globs of this root, ``exclude_everywhere`` those of all; where there are ``include``
    globs, only files that one of them matches, or a folder around, are documents. ``nested`` are the folders
    inside that are roots of their own. ``git`` tells what is tracked; without it nothing is.
    """

    def __init__(
        self,
        *,
        exclude: Iterable[str] = (),
        include: Iterable[str] = (),
        exclude_everywhere: Iterable[str] = (),
        nested: Iterable[str] = (),
        git: GitKnowledge | None = None,
    ) -> None:
        self.exclude = Globs(exclude)
        self.include = Globs(include)
        self._everywhere = Globs(exclude_everywhere)
        self._has_globs = bool(self.exclude.texts or self._everywhere.texts)
        self._nested = frozenset(nested)
        self._git = git

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scope):
            return NotImplemented
        return self._rules() == other._rules()

    def __hash__(self) -> int:
        return hash(self._rules())

    def _rules(self) -> tuple[object, ...]:
        return (self.exclude.texts, self.include.texts, self._everywhere.texts, self._nested)

    def reader(self, files: FileSystem, folder: str) -> RuleReader:
        """What reads the ignore files of one walk of the root at the absolute path ``folder``."""
        return RuleReader(files, folder, suffixes=SUFFIXES, git=self._git)

    def enter_folder(
        self, path: str, name: str, rules: FolderRules, local: LocalRules
    ) -> FolderRules | Exclusion:
        """The rules that a folder begins with, or why nothing below it belongs to the root.

        ``rules`` are those in force in the folder around it.
        """
        if name in PRUNED_FOLDERS:
            return _BUILT_IN[name]
        if path in self._nested:
            return _NESTED
        return self._glob(path, name, local, is_folder=True) or rules.enter(path, name)

    def file_exclusion(self, path: str, name: str, rules: FolderRules, local: LocalRules) -> Exclusion | None:
        """Why a file in a kept folder is no document, ``None`` where it is one; its size is not asked."""
        if not name.lower().endswith(SUFFIXES):
            return NOT_MARKDOWN
        if name.startswith(LOCK_PREFIX):
            return _LOCK
        reason = self._glob(path, name, local, is_folder=False) or rules.file_exclusion(path, name)
        if reason is None and self.include.texts and self.including(path) is None:
            return _NOT_INCLUDED
        return reason

    def including(self, path: str) -> str | None:
        """The ``include`` glob that matches a file or a folder around it."""
        parts = path.split("/")
        for depth in range(len(parts), 0, -1):
            is_folder = depth < len(parts)
            if glob := self.include.match("/".join(parts[:depth]), parts[depth - 1], is_folder=is_folder):
                return glob
        return None

    def _glob(self, path: str, name: str, local: LocalRules, *, is_folder: bool) -> Exclusion | None:
        if not self._has_globs and not local.exclude.texts:
            return None
        if glob := self.exclude.match(path, name, is_folder=is_folder):
            return Exclusion("exclude", f"excluded by {glob}, a glob of the root", glob)
        if glob := self._everywhere.match(path, name, is_folder=is_folder):
            return Exclusion("exclude", f"excluded by {glob} of config.toml", glob, "config.toml")
        if glob := local.exclude.match(path, name, is_folder=is_folder):
            return Exclusion(".mdmem.toml", f"excluded by {glob} of .mdmem.toml", glob, ".mdmem.toml")
        return None


class ScopeRules:
    """What the scopes of all roots share: the globs of ``config.toml``, and what git knows."""

    def __init__(self, *, exclude: Iterable[str] = (), git: GitKnowledge | None = None) -> None:
        self._exclude = tuple(exclude)
        self._git = git

    def scope(self, spec: RootSpec, *, nested: Iterable[str] = ()) -> Scope:
        """The scope of a root with the folders ``nested`` inside that are roots of their own."""
        return Scope(
            exclude=spec.exclude,
            include=spec.include,
            exclude_everywhere=self._exclude,
            nested=nested,
            git=self._git,
        )
