"""From judged answers to figures: one row a system and kind, and the order of times and sizes. Pure."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

HIT_DEPTHS = (1, 3, 5, 10)

ALL = "all"
"""Kind of the row over all questions."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One answerable question, answered: ``rank`` from 1, ``None`` where it is not on the page.

    ``held`` is whether the default answer holds what was to be quoted, ``None`` where that is not known or no
    section that answers is on it.
    """

    name: str
    kind: str
    rank: int | None
    ndcg: float
    held: bool | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over the questions of one kind, each 0..1. ``hits`` are Hit@1, 3, 5, 10."""

    system: str
    kind: str
    questions: int
    mrr: float
    hits: tuple[float, float, float, float]
    ndcg: float


def reciprocal(rank: int | None) -> float:
    """The reciprocal rank, 0 for a miss."""
    return 0.0 if rank is None else 1.0 / rank


def figures(system: str, judged: Sequence[Judged]) -> tuple[Figures, ...]:
    """A row for all questions, then, where there are several kinds, one for each in the order of the set."""
    by_kind: defaultdict[str, list[Judged]] = defaultdict(list)
    for each in judged:
        by_kind[each.kind].append(each)
    groups = [(ALL, list(judged)), *(by_kind.items() if len(by_kind) > 1 else ())]
    return tuple(_row(system, kind, group) for kind, group in groups if group)


def _row(system: str, kind: str, group: Sequence[Judged]) -> Figures:
    one, three, five, ten = (
        mean(each.rank is not None and each.rank <= depth for each in group) for depth in HIT_DEPTHS
    )
    return Figures(
        system=system,
        kind=kind,
        questions=len(group),
        mrr=mean(reciprocal(each.rank) for each in group),
        hits=(one, three, five, ten),
        ndcg=mean(each.ndcg for each in group),
    )


def mean(values: Iterable[float]) -> float:
    """The mean, 0 of nothing."""
    found = list(values)
    return math.fsum(found) / len(found) if found else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least ``share`` of all do not exceed; 0 of nothing."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else 0.0
