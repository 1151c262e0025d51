"""Which roots serve a project: those that the configuration names for it, else the one around its folder.

A project that nothing serves yet is registered on first use, if it may be a root (``Roots.for_project``).
Called on the query pool.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from mdmemd.engine.roots import Roots
from mdmemd.errors import DaemonError

ALL_ROOTS = "*"


@dataclass(frozen=True, slots=True)
class ProjectRoots:
    """The names of the roots; ``ALL_ROOTS`` among them means all.

    ``reason`` says why there are none, or what is wrong with those that there are.
    """

    names: tuple[str, ...]
    reason: str | None = None


def expanded(configured: Mapping[str, tuple[str, ...]], *, home: str) -> dict[str, tuple[str, ...]]:
    """The table of the configuration with ``~/`` as the user's home, and each folder in its normal form."""
    return {
        os.path.normpath(f"{home}/{folder[2:]}" if folder.startswith("~/") else folder): names
        for folder, names in configured.items()
    }


class Projects:
    """Finds the roots of projects. ``configured`` has names of roots by absolute folder."""

    def __init__(self, roots: Roots, *, configured: Mapping[str, tuple[str, ...]]) -> None:
        self._roots = roots
        self._configured = configured

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
            return ProjectRoots((self._roots.for_project(folder).name,), problem)
        except DaemonError as error:
            reason = f"{error} {error.remedy}".rstrip()
            return ProjectRoots((), f"{problem} {reason}" if problem else reason)

    def _configured_for(self, folder: str) -> tuple[str, ...]:
        """The names given for the innermost configured folder around ``folder``, by its spelling."""
        inside = os.path.normpath(folder)
        around = [place for place in self._configured if f"{inside}/".startswith(f"{place.rstrip('/')}/")]
        return self._configured[max(around, key=len)] if around else ()
