"""``index``: looks at a root now, reads one file again, or makes a root's index anew.

Each comes back when the work is known and begun, not when it is done: the folder was walked, the file was
read, the second index is being made. How far that is, the published state tells (``roots.wait``). Called on
the query pool.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mdmemd.engine.events import Look, RebuildRoot, Settle
from mdmemd.engine.state import Published, State
from mdmemd.engine.writer import Writer
from mdmemd.errors import InvalidRequestError, NotFoundError
from mdmemd.model import RootSpec
from mdmemd.ports import Clock
from mdmemd.sync.barrier import Ticket

WAIT_SECONDS = 10.0
"""For a walk or one file; a longer one goes on by itself."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be indexed: roots by name, and a file in the only one of them, else empty."""

    roots: tuple[str, ...]
    file: str = ""


class Indexing:
    """Has roots indexed."""

    def __init__(
        self, *, specs: Callable[[], Mapping[str, RootSpec]], state: State, writer: Writer, clock: Clock
    ) -> None:
        self._specs = specs
        self._state = state
        self._writer = writer
        self._clock = clock

    def index(self, name: str, *, path: str, force: bool) -> Target:
        """Begin with the root ``name``, else with the root or file at the absolute ``path`` (neither: all).

        Raises ``NotFoundError`` where there is none, or the file is not one that is indexed.
        """
        target = self._target(name, path)
        if target.file:
            self._reread(target.roots[0], target.file)
        elif force:
            self._rebuild(target.roots)
        else:
            self._look(target.roots)
        return target

    def _target(self, name: str, path: str) -> Target:
        specs = self._specs()
        if not name and not path:
            return Target(tuple(sorted(specs)))
        if name in specs:
            return Target((name,))
        if path and not os.path.isabs(path):
            raise InvalidRequestError(f"{path!r} is no absolute path.", remedy="Give the whole path.")
        folder = path.rstrip("/") or path
        around = [spec for spec in specs.values() if f"{folder}/".startswith(f"{spec.path.rstrip('/')}/")]
        if not around:
            raise NotFoundError(
                f"There is no root {name or path}, and no root holds a file of that name.",
                remedy="See: mdmemctl root list",
                candidates=tuple(sorted(specs))[:10],
            )
        nearest = max(around, key=lambda spec: len(spec.path))
        return Target((nearest.name,), folder[len(nearest.path.rstrip("/")) + 1 :])

    def _look(self, names: tuple[str, ...]) -> None:
        asked_at = self._clock.monotonic()
        for name in names:
            self._writer.post(Look(name, Ticket(is_awaited=False)))

        def were_walked(published: Published) -> bool:
            views = [published.roots.get(name) for name in names]
            return all(view is None or view.scanned_at >= asked_at for view in views)

        self._state.wait_for(were_walked, timeout_seconds=WAIT_SECONDS)

    def _rebuild(self, names: tuple[str, ...]) -> None:
        tickets = [Ticket() for _ in names]
        for name, ticket in zip(names, tickets, strict=True):
            self._writer.post(RebuildRoot(name, ticket))
        for ticket in tickets:
            ticket.wait(timeout_seconds=WAIT_SECONDS)

    def _reread(self, name: str, file: str) -> None:
        ticket = Ticket()
        self._writer.post(Settle(name, ticket, (file,), is_forced=True))
        is_read = ticket.wait(timeout_seconds=WAIT_SECONDS)
        view = self._state.current.roots.get(name)
        if is_read and view is not None and view.snapshot.document(file) is None:
            raise NotFoundError(
                f"{file} is not in the index of {name}: there is no such file, or it is not one that is "
                "indexed, or it cannot be read.",
                remedy="mdmemctl status names the files that cannot be read.",
            )
