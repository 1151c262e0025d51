"""Which roots a tool call means: the ones it names, else those of the session's project, else all.

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

from mdmemd.engine.projects import ProjectRoots
from mdmemd.errors import InvalidRequestError
from mdmemd.mcp.quoting import one_line
from mdmemd.mcp.service import Service

REFUSED_RETRY_SECONDS = 60.0
FOLDERS_REMEMBERED_MAX = 64

LARGE_ROOT_FILES = 10_000
"""From here on a root that a session registered is announced as large: somebody may have opened too much."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The roots of one call.

    Attributes: roots: their names; empty means all. is_named: the caller chose them; then nothing else is
    looked at. folder: the folder that the caller works in, absolute, empty where unknown; relative paths may
    be meant from there. note: what the reader should know about the choice, told once. session: the folder
    that the session works in, which ``folder`` is where the caller names no other.
    """

    roots: tuple[str, ...]
    is_named: bool
    folder: str
    note: str | None = None
    session: str = ""


@dataclass(frozen=True, slots=True)
class _Known:
    found: ProjectRoots
    asked_at: float


class ScopeResolver:
    """Remembers, for one session, which roots serve which folder."""

    def __init__(self, service: Service, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._service = service
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._known: dict[str, _Known] = {}
        self._registered: set[str] = set()

    def resolve(self, *, roots: tuple[str, ...], cwd: str, folders: tuple[str, ...]) -> Scope:
        """The scope of a call of a session that works in ``folders``.

        Raises ``InvalidRequestError`` for a ``cwd`` that is not absolute.
        """
        if cwd and not os.path.isabs(cwd):
            raise InvalidRequestError(
                f"'cwd' must be an absolute path, not {cwd!r}.", remedy="Give the whole path of the folder."
            )
        session = folders[0] if folders else ""
        folder = cwd or session
        if roots:
            return Scope(() if "*" in roots else roots, is_named=True, folder=folder, session=session)
        with self._lock:
            found = [self._roots_of(each, beside=session) for each in ((cwd,) if cwd else folders)]
        names = tuple(dict.fromkeys(name for known, _ in found for name in known))
        notes = [note for _, note in found if note]
        if "*" in names:
            names = ()
        return Scope(names, is_named=False, folder=folder, note=" ".join(notes) or None, session=session)

    def size_warning(self, scope: Scope) -> str | None:
        """A sentence on roots of the scope that this session has registered and that are large; once."""
        with self._lock:
            suspects = self._registered.intersection(scope.roots)
            if not suspects:
                return None
            large = []
            for status in self._service.roots():
                files = status.documents + status.pending_files
                if status.name in suspects and files >= LARGE_ROOT_FILES:
                    large.append(f"Root '{status.name}' is large ({files} files).")
                    self._registered.discard(status.name)
        if not large:
            return None
        return " ".join(large) + " If most of it is not worth searching, exclude it in a .mdmemignore file."

    def _roots_of(self, folder: str, *, beside: str) -> tuple[tuple[str, ...], str | None]:
        names = {status.name for status in self._service.roots()}
        known = self._known.get(folder)
        if known is not None:
            still = tuple(name for name in known.found.names if name in names or name == "*")
            if still:
                return still, None
            if known.found.names:
                gone = "', '".join(known.found.names)
                return (), f"Root '{gone}' of this project was removed, so all roots were used."
            if self._monotonic() - known.asked_at < REFUSED_RETRY_SECONDS:
                return (), None
        found = self._service.project_roots(folder, beside=beside)
        if len(self._known) >= FOLDERS_REMEMBERED_MAX:
            self._known.clear()
        self._known[folder] = _Known(found, asked_at=self._monotonic())
        return found.names, self._note(found, names=names, is_first=known is None)

    def _note(self, found: ProjectRoots, *, names: set[str], is_first: bool) -> str | None:
        if not found.names:
            reason = one_line(found.reason or "")
            return f"This project is not indexed, so all roots were used: {reason}" if is_first else None
        new = [name for name in found.names if name not in names and name != "*"]
        self._registered.update(new)
        notes = [f"This project was registered just now as root '{name}'." for name in new]
        notes += [one_line(found.reason)] if found.reason else []
        return " ".join(notes) or None
