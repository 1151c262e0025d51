"""What keeps a daemon in order over months, in one place for the surfaces that offer it. Frozen."""

from __future__ import annotations

from dataclasses import dataclass

from mdmemd.engine.archives import Archives
from mdmemd.engine.garbage import Garbage
from mdmemd.engine.indexing import Indexing


@dataclass(frozen=True, slots=True)
class Maintenance:
    """Each part explains itself."""

    archives: Archives
    garbage: Garbage
    indexing: Indexing
