"""What the engine says of itself with every answer and in ``status``: plain frozen values.

Made by ``engine.service`` from the published state, so that every surface tells the same facts; converted to
the wire by ``server.convert`` and to text by ``mcp``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mdmemd.model import ChunkMode, ModelState, Problem
from mdmemd.ports import WatchStatus
from mdmemd.search.page import DocumentRow, Hit, Respelling


class Coverage(StrEnum):
    """How much of the searched roots stands behind an answer."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    EMPTY = "empty"


class RootState(StrEnum):
    """Where a root is in its life, derived from facts and never stored."""

    INDEXING = "indexing"
    EMBEDDING = "embedding"
    READY = "ready"
    EMPTY = "empty"
    MISSING = "missing"
    FAILED = "failed"
    ASLEEP = "asleep"


@dataclass(frozen=True, slots=True)
class AnswerState:
    """The fields of ``mdmem_proto.messages.AnswerState``, where each is explained."""

    mode: str
    degraded: str | None
    fresh: bool
    pending_files: int
    documents: int
    sections: int
    passages: int
    embedded: int
    coverage: Coverage
    keyword_match: str
    exact_sections: int
    took_ms: float
    outstanding: str | None
    filtered_sections: int | None = None
    exact_files: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """Hits and the state that they stand on; the rest as in ``search.page.Page``."""

    query: str
    hits: tuple[Hit, ...]
    state: AnswerState
    cursor: str | None = None
    near_misses: tuple[Hit, ...] = ()
    did_you_mean: tuple[Respelling, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """Documents in path order and the state of the roots that were asked."""

    documents: tuple[DocumentRow, ...]
    state: AnswerState


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A problem and the root-relative path that it is about (empty: the root itself)."""

    path: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class RootStatus:
    """One root as ``status`` shows it; ``problems`` is capped, ``problem_count`` is not."""

    name: str
    path: str
    state: RootState
    documents: int
    sections: int
    passages: int
    embedded: int
    pending_files: int
    problems: tuple[FileProblem, ...]
    problem_count: int
    chunk_mode: ChunkMode
    detail: str | None
    watch: WatchStatus | None = None


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """The embedding model, and what it has done since the start.

    ``computed`` and ``from_cache`` count passages, ``queued`` those still to come; ``passages_per_second``
    is of late, while computing. ``changing_to`` is the model to come, while the roots get its vectors.
    """

    name: str
    state: ModelState
    dimensions: int
    fingerprint: str
    detail: str | None
    computed: int = 0
    from_cache: int = 0
    queued: int = 0
    passages_per_second: float = 0.0
    changing_to: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a root is: ``phase`` is ``index`` (files) or ``embed`` (passages)."""

    phase: str
    done: int
    total: int
