"""Two runs over the same questions: is the difference more than chance?

The interval is the percentile bootstrap over questions (Efron and Tibshirani, 1993, chapter 13) of the mean
paired difference, with a fixed seed, so that equal runs give equal intervals. Questions that are not in both
runs are left out and counted; answers are compared where both runs had their section. Pure.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mdmemd.errors import InvalidRequestError
from mdmemd.evaluate.figures import HIT_DEPTHS, Judged, mean, reciprocal

RESAMPLES = 2000
SEED = 20240229
TAIL = 0.025
"""Left out at either end: a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure: means of both runs, and the interval of ``after - before``."""

    measure: str
    before: float
    after: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Change:
    """A question whose rank changed; ``None``: not on the page."""

    name: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """``questions`` are in both runs, ``unpaired`` in one only; ``changes`` worst first."""

    questions: int
    unpaired: int
    differences: tuple[Difference, ...]
    changes: tuple[Change, ...]


def compare(before: Sequence[Judged], after: Sequence[Judged]) -> Comparison:
    """Query by query; raises ``InvalidRequestError`` where no question is in both."""
    old = {each.name: each for each in before}
    pairs = [(old[each.name], each) for each in after if each.name in old]
    if not pairs:
        raise InvalidRequestError(
            "The two runs have no question in common.", remedy="Compare runs of the same golden set."
        )
    changes = [Change(new.name, old.rank, new.rank) for old, new in pairs if old.rank != new.rank]
    changes.sort(key=lambda change: reciprocal(change.after) - reciprocal(change.before))
    differences = [_difference(name, value, pairs) for name, value in _measures()]
    known = [(old, new) for old, new in pairs if old.held is not None and new.held is not None]
    if known:
        differences.append(_difference("answer held", lambda each: float(bool(each.held)), known))
    return Comparison(
        questions=len(pairs),
        unpaired=len(before) + len(after) - 2 * len(pairs),
        differences=tuple(differences),
        changes=tuple(changes),
    )


_Measure = Callable[[Judged], float]


def _measures() -> list[tuple[str, _Measure]]:
    def hit(depth: int) -> _Measure:
        return lambda each: float(each.rank is not None and each.rank <= depth)

    return [
        ("MRR", lambda each: reciprocal(each.rank)),
        *((f"Hit@{depth}", hit(depth)) for depth in HIT_DEPTHS),
        ("nDCG@5", lambda each: each.ndcg),
    ]


def _difference(name: str, value: _Measure, pairs: Sequence[tuple[Judged, Judged]]) -> Difference:
    before = [value(old) for old, _ in pairs]
    after = [value(new) for _, new in pairs]
    gains = [new - old for old, new in zip(before, after, strict=True)]
    chance = random.Random(SEED)  # noqa: S311 - a resampling, nothing secret
    means = sorted(mean(chance.choices(gains, k=len(gains))) for _ in range(RESAMPLES))
    cut = int(TAIL * RESAMPLES)
    return Difference(name, mean(before), mean(after), means[cut], means[-1 - cut])
