"""Following a root: waiting until all that is saved is indexed, and what has changed since a moment."""

from __future__ import annotations

from mdmem_proto.messages.roots import RootInfo
from mdmem_proto.messages.values import Message, RootNames, WaitUntil


class SyncParams(Message, frozen=True):
    """``sync``: end when everything saved before it is indexed; ``embedded``: and has its vectors.

    No ``roots`` means all. ``progress`` events tell how far it is.
    """

    roots: RootNames = ()
    until: WaitUntil = "keyword"


class SyncResult(Message, frozen=True, omit_defaults=False):
    """The roots that were waited for, as they are then."""

    roots: tuple[RootInfo, ...]


class ChangesParams(Message, frozen=True):
    """``changes``: what changed after ``since_tick``, or at and after ``since_time`` (unix seconds).

    Without either, all that is remembered; with both, ``since_tick`` counts. No ``roots`` means all.
    """

    roots: RootNames = ()
    since_tick: int | None = None
    since_time: float | None = None


class ChangeRow(Message, frozen=True, omit_defaults=False):
    """One change of one document; ``kind`` is ``added``, ``changed``, ``removed`` or ``renamed``.

    ``at`` is the unix second of its indexing; ``path_before`` is set where it was renamed.
    """

    tick: int
    at: float
    root: str
    kind: str
    path: str
    path_before: str | None


class ChangesResult(Message, frozen=True, omit_defaults=False):
    """Changes, oldest first; ask with ``since_tick`` = ``tick`` for what comes after them.

    ``incomplete`` names the roots of which older changes than those here may be missing: the daemon remembers
    a bounded number since its start.
    """

    changes: tuple[ChangeRow, ...]
    tick: int
    incomplete: tuple[str, ...]
