"""Which files of a root are its documents: one rule object for scan, read and search.

Rules, first that applies: a built-in prune (version control, virtual environments, caches: never worth
searching, often huge); a registered root inside this one (its files are that root's); an ``exclude`` glob of
the root (without ``/``: any path component; with ``/``: anchored at the root); a suffix that is no Markdown.
Pure, no file is looked at. Any thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

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


class Scope:
    """The rules of one root. ``path`` arguments are root-relative POSIX paths."""

    def __init__(self, *, exclude: Iterable[str] = (), nested: Iterable[str] = ()) -> None:
        globs = [glob.removeprefix("./").rstrip("/") for glob in exclude]
        self._component_globs = tuple(glob for glob in globs if glob and "/" not in glob)
        self._anchored_globs = tuple(glob.lstrip("/") for glob in globs if "/" in glob)
        self._nested = frozenset(nested)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scope):
            return NotImplemented
        return self._rules() == other._rules()

    def __hash__(self) -> int:
        return hash(self._rules())

    def _rules(self) -> tuple[object, ...]:
        return (self._component_globs, self._anchored_globs, self._nested)

    def folder_excluded(self, path: str) -> str | None:
        """The reason why nothing below this folder belongs to the root, ``None`` where it may."""
        name = path.rsplit("/", 1)[-1]
        if name in PRUNED_FOLDERS:
            return f"{name} folders are never indexed"
        if path in self._nested:
            return "a root of its own"
        return self._glob_reason(path, name)

    def file_excluded(self, path: str) -> str | None:
        """The reason why this file in a kept folder is no document, ``None`` where it is one."""
        name = path.rsplit("/", 1)[-1]
        if not name.lower().endswith(SUFFIXES):
            return "not Markdown"
        return self._glob_reason(path, name)

    def excluded(self, path: str) -> str | None:
        """The reason for a whole path, its folders included."""
        folder = path.rpartition("/")[0]
        return self.excluded_folder(folder) or self.file_excluded(path)

    def excluded_folder(self, path: str) -> str | None:
        """The reason for a whole path of a folder (empty: the root), the folders around it included."""
        folders = path.split("/") if path else []
        for depth in range(1, len(folders) + 1):
            if reason := self.folder_excluded("/".join(folders[:depth])):
                return reason
        return None

    def _glob_reason(self, path: str, name: str) -> str | None:
        for glob in self._component_globs:
            if fnmatchcase(name, glob):
                return f"excluded by {glob}"
        for glob in self._anchored_globs:
            if fnmatchcase(path, glob):
                return f"excluded by {glob}"
        return None
