"""Which roots a tool call means: the ones it names, else the root of the session's project, else all.

Invariants: a project folder is offered to the engine at most once a session while that succeeds, and again
after ``REFUSED_RETRY_SECONDS`` where it was refused (its first Markdown file may have been written since); a
root that the user removed is not registered again behind their back. Runs on the query pool; one lock for
each session keeps two first calls from both announcing the registration.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from mdmemd.errors import InvalidRequestError
from mdmemd.mcp.service import Service

REFUSED_RETRY_SECONDS = 60.0
FOLDERS_REMEMBERED_MAX = 64


@dataclass(frozen=True, slots=True)
class Scope:
    """The roots of one call.

    Attributes: roots: their names; empty means all. is_named: the caller chose them; then nothing else is
    looked at. folder: the folder that the caller works in, absolute, empty where unknown; relative paths may
    be meant from there. note: what the reader should know about the choice, told once.
    """

    roots: tuple[str, ...]
    is_named: bool
    folder: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class _Known:
    root: str | None
    asked_at: float


class ScopeResolver:
    """Remembers, for one session, which root serves which folder."""

    def __init__(
        self, service: Service, *, project: str, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._service = service
        self._project = project
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._known: dict[str, _Known] = {}

    def resolve(self, *, roots: tuple[str, ...], cwd: str) -> Scope:
        """The scope of a call; raises ``InvalidRequestError`` for a ``cwd`` that is not absolute."""
        if cwd and not os.path.isabs(cwd):
            raise InvalidRequestError(
                f"'cwd' must be an absolute path, not {cwd!r}.", remedy="Give the whole path of the folder."
            )
        folder = cwd or self._project
        if roots:
            return Scope(() if "*" in roots else roots, is_named=True, folder=folder)
        if not folder:
            return Scope((), is_named=False, folder="")
        with self._lock:
            root, note = self._root_of(folder)
        return Scope((root,) if root else (), is_named=False, folder=folder, note=note)

    def _root_of(self, folder: str) -> tuple[str | None, str | None]:
        names = {status.name for status in self._service.roots()}
        known = self._known.get(folder)
        if known is not None:
            if known.root in names:
                return known.root, None
            if known.root is not None:
                return None, f"Root '{known.root}' of this project was removed, so all roots were used."
            if self._monotonic() - known.asked_at < REFUSED_RETRY_SECONDS:
                return None, None
        root, reason = self._service.project_root(folder)
        if len(self._known) >= FOLDERS_REMEMBERED_MAX:
            self._known.clear()
        self._known[folder] = _Known(root, asked_at=self._monotonic())
        if root is None:
            return (
                None,
                f"This project is not indexed, so all roots were used: {reason}" if known is None else None,
            )
        return root, None if root in names else f"This project was registered just now as root '{root}'."
