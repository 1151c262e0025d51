"""Which roots serve a project: those that the configuration names for it, else the one around its folder.

A project that nothing serves yet is registered on first use, if it may be a root (``Roots.add_project``).
Invariants: a linked work tree of git is a project of its own, also where it lies in a root, which holds other
versions of the same documents. A folder that is not the session's own is taken as a place in its work tree:
what is registered is the whole tree, or of a tree beside that of the session the part that the session has of
its own. Called on the query pool.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from mdmemd.engine.roots import Roots
from mdmemd.errors import DaemonError, RefusedError
from mdmemd.model import RootSpec
from mdmemd.ports import FileSystem
from mdmemd.sync.repository import Repository, repository_around, repository_at

ALL_ROOTS = "*"


@dataclass(frozen=True, slots=True)
class ProjectRoots:
    """The names of the roots; ``ALL_ROOTS`` among them means all.

    ``reason`` says why there are none, or what is wrong with those that there are.
    """

    names: tuple[str, ...]
    reason: str | None = None


class Projects:
    """Finds the roots of projects. ``configured`` has names of roots by folder; ``~/`` is ``home``."""

    def __init__(
        self, roots: Roots, files: FileSystem, *, configured: Mapping[str, tuple[str, ...]], home: str
    ) -> None:
        self._roots = roots
        self._files = files
        self._configured = _expanded(configured, home=home)

    def roots_of(self, folder: str, *, beside: str = "") -> ProjectRoots:
        """The roots that serve the absolute ``folder``, in a session whose own folder is ``beside``."""
        configured = self._configured_for(folder)
        known = self._roots.specs()
        usable = tuple(name for name in configured if name in known or name == ALL_ROOTS)
        missing = [name for name in configured if name not in usable]
        problem = None
        if missing:
            names = ", ".join(missing)
            problem = f"The configuration names roots for this project that do not exist: {names}."
        if usable:
            return ProjectRoots(usable, problem)
        try:
            return ProjectRoots((self._root_of(folder, beside=beside).name,), problem)
        except DaemonError as error:
            reason = f"{error} {error.remedy}".rstrip()
            return ProjectRoots((), f"{problem} {reason}" if problem else reason)

    def known_roots_of(self, folder: str) -> tuple[str, ...]:
        """The same as far as they exist: registers nothing, and says nothing of what is wrong."""
        known = self._roots.specs()
        configured = tuple(
            name for name in self._configured_for(folder) if name in known or name == ALL_ROOTS
        )
        if configured:
            return configured
        tree = self._work_tree(folder)
        try:
            serving = self._roots.serving(folder, within=_own_part(tree))
        except DaemonError:
            return ()
        return (serving.name,) if serving else ()

    def _root_of(self, folder: str, *, beside: str) -> RootSpec:
        tree = self._work_tree(folder)
        within = _own_part(tree)
        if serving := self._roots.serving(folder, within=within):
            return serving
        if tree is None or not beside or folder == beside:
            return self._roots.add_project(folder)
        place = self._place_beside(tree, beside)
        try:
            return self._roots.serving(place, within=within) or self._roots.add_project(place)
        except RefusedError:  # a repository around the home folder, or one whose only Markdown is elsewhere
            return self._roots.add_project(folder)

    def _place_beside(self, tree: Repository, beside: str) -> str:
        """The folder of ``tree`` that is what the root around ``beside`` is in its own work tree."""
        own = self._work_tree(beside)
        if own is None or own.common_folder != tree.common_folder or own.top == tree.top:
            return tree.top
        root = self._roots.serving(beside, within=own.top)
        place = os.path.normpath(os.path.join(tree.top, os.path.relpath(root.path, own.top) if root else ""))
        return place if self._files.is_directory(place) else tree.top

    def _work_tree(self, folder: str) -> Repository | None:
        try:
            real = self._files.real_path(folder)
        except (OSError, ValueError):
            return None
        return repository_at(self._files, real) or repository_around(self._files, real)

    def _configured_for(self, folder: str) -> tuple[str, ...]:
        """The names given for the innermost configured folder around ``folder``, by its spelling."""
        inside = os.path.normpath(folder)
        around = [place for place in self._configured if f"{inside}/".startswith(f"{place.rstrip('/')}/")]
        return self._configured[max(around, key=len)] if around else ()


def _own_part(tree: Repository | None) -> str:
    """Where a root must lie to serve what is in ``tree``."""
    return tree.top if tree is not None and tree.is_linked else "/"


def _expanded(configured: Mapping[str, tuple[str, ...]], *, home: str) -> dict[str, tuple[str, ...]]:
    """The table of the configuration with ``~/`` as the user's home, and each folder in its normal form."""
    return {
        os.path.normpath(f"{home}/{folder[2:]}" if folder.startswith("~/") else folder): names
        for folder, names in configured.items()
    }
