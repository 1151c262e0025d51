"""What every handler works on. Made by ``app``; immutable."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from mdmemd.engine.evaluation import Evaluator
from mdmemd.engine.following import Following
from mdmemd.engine.maintenance import Maintenance
from mdmemd.engine.models import Models
from mdmemd.engine.scoping import Scoping
from mdmemd.engine.service import Service
from mdmemd.engine.why_query import QueryExplainer


@dataclass(frozen=True, slots=True)
class DaemonIdentity:
    """What the daemon says of itself.

    ``started_at`` is unix seconds; ``rss_bytes`` asks the system each time.
    """

    version: str
    instance: str
    started_at: float
    socket_path: str
    log_path: str
    rss_bytes: Callable[[], int]

    @property
    def interpreter(self) -> str:
        """The Python that runs the daemon, so that two installations can be told apart."""
        return sys.executable


@dataclass(frozen=True, slots=True)
class Backend:
    """What handlers work on."""

    service: Service
    following: Following
    scoping: Scoping
    identity: DaemonIdentity
    maintenance: Maintenance
    evaluator: Evaluator
    why_query: QueryExplainer
    models: Models
