"""Which sections the labels of a golden set mean, and what a list of hits is worth by them.

Invariants: a label that names no section is an error and never a miss, so that a wrong root or a renamed
heading cannot look like bad answers; a label counts once, by its first section that is hit. nDCG is that of
Järvelin and Kekäläinen (2002, "Cumulated gain-based evaluation of IR techniques") with the gain 2^grade - 1.
Pure; one call a question.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mdmemd.errors import InvalidRequestError
from mdmemd.evaluate.golden import ANSWERS, GoldenSet, Label, Naming, SectionKey, breadcrumb

UNRESOLVED_SHOWN_MAX = 20
NDCG_DEPTH = 5


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the labels of one question mean: for each label its grade and its sections."""

    labels: tuple[tuple[int, frozenset[SectionKey]], ...]

    def rank(self, hits: Sequence[SectionKey]) -> int | None:
        """Position, from 1, of the first hit that answers; ``None`` where none does."""
        wanted = frozenset[SectionKey]().union(*(keys for grade, keys in self.labels if grade >= ANSWERS))
        return next((rank for rank, key in enumerate(hits, start=1) if key in wanted), None)

    def ndcg(self, hits: Sequence[SectionKey]) -> float:
        """NDCG of the first ``NDCG_DEPTH`` hits, 0..1."""
        left = sorted(self.labels, key=lambda label: -label[0])
        best = sum(_gain(grade, place) for place, (grade, _) in enumerate(left[:NDCG_DEPTH]))
        gained = 0.0
        for place, key in enumerate(hits[:NDCG_DEPTH]):
            label = next((label for label in left if key in label[1]), None)
            if label is not None:
                left.remove(label)
                gained += _gain(label[0], place)
        return gained / best


def _gain(grade: int, place: int) -> float:
    return float(2**grade - 1) / math.log2(place + 2)


def judge(golden: GoldenSet, sections: Iterable[SectionKey]) -> dict[str, Judgement]:
    """The judgement of each answerable question, by its name.

    Raises ``InvalidRequestError`` that lists the labels which name no section.
    """
    places = _Places(sections)
    found = {
        question.name: Judgement(tuple((label.grade, places.meant_by(label)) for label in question.labels))
        for question in golden.questions
        if question.is_answerable
    }
    unresolved = list(_unresolved(golden, found))
    if unresolved:
        raise InvalidRequestError(
            f"Labels of the golden set that name no indexed section: {len(unresolved)}, "
            f"first {unresolved[0]}.",
            remedy="Check --root and the labels, and that indexing is done: mdmemctl status",
            candidates=tuple(unresolved[:UNRESOLVED_SHOWN_MAX]),
        )
    return found


def _unresolved(golden: GoldenSet, found: Mapping[str, Judgement]) -> Iterable[str]:
    for question in golden.questions:
        judgement = found.get(question.name)
        for label, (_, keys) in zip(question.labels, judgement.labels if judgement else (), strict=True):
            if not keys:
                yield f"{label} (question {question.name})"


class _Places:
    """All sections, found by their heading where a label has one: a set may have thousands of labels."""

    def __init__(self, sections: Iterable[SectionKey]) -> None:
        self._all = tuple(dict.fromkeys(sections))
        self._by_heading: defaultdict[str, list[SectionKey]] = defaultdict(list)
        for key in self._all:
            self._by_heading[breadcrumb(key.heading_path)].append(key)
        self._known: dict[Label, frozenset[SectionKey]] = {}

    def meant_by(self, label: Label) -> frozenset[SectionKey]:
        if label not in self._known:
            near = self._by_heading[label.heading] if label.naming is Naming.HEADING else self._all
            self._known[label] = frozenset(filter(label.means, near))
        return self._known[label]
