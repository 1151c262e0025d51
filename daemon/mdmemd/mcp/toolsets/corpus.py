"""The one folder that systems with one corpus per server speak of, and paths as they write them.

The corpus is the root that serves the session. Its documents have paths relative to it, all others absolute
ones, so that each path may be given back as it stands, from any folder. Where several roots answer, all paths
are absolute and the corpus is the folder around them. Query pool.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from mdmemd.engine.report import RootStatus
from mdmemd.mcp.scope import Scope
from mdmemd.mcp.service import Service


@dataclass(frozen=True, slots=True)
class Corpus:
    """``folder`` is absolute, empty where nothing is indexed; paths of ``root`` are relative to it."""

    folder: str
    root: str | None
    statuses: tuple[RootStatus, ...]
    folders: Mapping[str, str]

    def shown(self, root: str, path: str) -> str:
        """A document's path as the caller sees it."""
        return path if root == self.root else os.path.join(self.folders.get(root, ""), path)


def corpus_of(service: Service, scope: Scope) -> Corpus:
    """The corpus of one call; ``statuses`` are those of the roots that answer, which are the scope's."""
    every = service.roots()
    statuses = tuple(status for status in every if not scope.roots or status.name in scope.roots)
    folders = {status.name: status.path for status in every}
    if len(statuses) != 1:
        around = os.path.commonpath([status.path for status in statuses]) if statuses else ""
        return Corpus(around, None, statuses, folders)
    (only,) = statuses
    is_own = _serves_session(service, only.name, scope=scope)
    return Corpus(only.path, only.name if is_own else None, statuses, folders)


def _serves_session(service: Service, name: str, *, scope: Scope) -> bool:
    own = service.known_project_roots(scope.session) if scope.session else ()
    # Without a root of its own a session is served by all, and this is the only one.
    return name in own or "*" in own or (not own and not scope.roots and scope.folder == scope.session)
