"""What can make the writer act: one closed union of events.

Frozen values that any thread may post to ``writer.Writer``, which handles them in the order they come in.
"""

from __future__ import annotations

from dataclasses import dataclass

from mdmemd.embed.queue import Delivery
from mdmemd.engine.file_reading import FileToRead, Outcome
from mdmemd.index.snapshot import Revision
from mdmemd.model import RootId, RootSpec
from mdmemd.sync.barrier import Ticket


@dataclass(frozen=True, slots=True)
class AddRoot:
    """Begin with a root. Its first walk follows by itself."""

    root_id: RootId
    spec: RootSpec


@dataclass(frozen=True, slots=True)
class ChangeRoot:
    """Go on with a root as ``spec`` says from now on; its folder is the same."""

    root_id: RootId
    spec: RootSpec


@dataclass(frozen=True, slots=True)
class RemoveRoot:
    """Forget a root and its memory."""

    root_id: RootId


@dataclass(frozen=True, slots=True)
class Look:
    """Walk the folder of the root ``name`` and index what differs; then release the ticket."""

    name: str
    ticket: Ticket


@dataclass(frozen=True, slots=True)
class Settle:
    """Release the ticket when all hints that were given before this are indexed in the root ``name``.

    ``paths`` are single files that are looked at and read first in any case. ``is_forced``: parse them even
    if their content is what it was.
    """

    name: str
    ticket: Ticket
    paths: tuple[str, ...] = ()
    is_forced: bool = False


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors have come back for a root."""

    root_id: RootId
    delivery: Delivery


@dataclass(frozen=True, slots=True)
class FileRead:
    """Something has come of a large file."""

    root_id: RootId
    wanted: FileToRead
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ModelReady:
    """The encoder of all vectors that come back from now on is known."""

    fingerprint: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class ChangeModel:
    """Make second indexes of all roots with vectors of another model, then have all take over together."""

    fingerprint: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class CancelModelChange:
    """Stay with the model in use."""


@dataclass(frozen=True, slots=True)
class Sleep:
    """Free the memory of the root ``name`` if it is still as at ``revision`` and nobody waits for it."""

    name: str
    revision: Revision


@dataclass(frozen=True, slots=True)
class Wake:
    """Bring the root ``name`` back if it sleeps."""

    name: str


@dataclass(frozen=True, slots=True)
class RebuildRoot:
    """Make the index of the root ``name`` anew beside the one there is; release the ticket when begun."""

    name: str
    ticket: Ticket


WriterEvent = (
    AddRoot
    | ChangeRoot
    | RemoveRoot
    | RebuildRoot
    | Look
    | Settle
    | Embedded
    | FileRead
    | ModelReady
    | ChangeModel
    | CancelModelChange
    | Sleep
    | Wake
)
