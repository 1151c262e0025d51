"""What a scope answers: matching sections as parallel arrays.

``refs`` are ``SectionRef`` numbers of the scope that answered. Frozen values made and read on query threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mdmemd.index.arrays import Int32Array, IntArray, ScoreArray

PlaceKeys = npt.NDArray[np.uint64]
"""What sections are ordered by where nothing else tells them apart; see ``Scope.place_keys``."""


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """One index term of a question; its scores are multiplied by ``weight``."""

    text: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class KeywordMatches:
    """The searched sections that hold at least one term, ascending by ref.

    Attributes:
        refs: int64, shape ``(n,)``.
        scores: float32 ``(n,)``: BM25 summed over terms, each times its weight; above 0, below 2.2 times
            ``idf_mass``.
        coverage: float32 ``(n,)``: weighted idf of the matched terms over ``idf_mass``, in (0, 1].
        matched: uint64 ``(n,)``: bit ``i`` is set where the section holds term ``i``; terms from the 65th on
            have no bit.
        document_frequencies: live sections of the scope that hold each term, searched or filtered out.
        found_frequencies: sections among ``refs`` that hold each term.
        idf: float32, shape ``(terms,)``, not weighted.
        idf_mass: sum of weight times idf over all terms, those that nothing holds included.
    """

    refs: IntArray
    scores: ScoreArray
    coverage: ScoreArray
    matched: npt.NDArray[np.uint64]
    document_frequencies: tuple[int, ...]
    found_frequencies: tuple[int, ...]
    idf: ScoreArray
    idf_mass: float

    def top(self, n: int, *, place_keys: Callable[[IntArray], PlaceKeys] | None = None) -> IntArray:
        """Positions of the ``n`` best by score, best first, equal ones by ref.

        Where not all that are equal to the last have room, those of the smallest ``place_keys`` are taken:
        refs tell in which order documents were indexed, which must not decide what is found.
        """
        if n <= 0:
            return np.zeros(0, np.int64)
        if n >= len(self.scores):
            chosen = np.arange(len(self.scores))
        else:
            edge = np.partition(self.scores, len(self.scores) - n)[len(self.scores) - n]
            above = np.flatnonzero(self.scores > edge)
            ties = np.flatnonzero(self.scores == edge)
            if place_keys is not None and len(above) + len(ties) > n:
                ties = ties[np.argsort(place_keys(self.refs[ties]), kind="stable")]
            chosen = np.concatenate([above, ties[: n - len(above)]])
        return chosen[np.lexsort((self.refs[chosen], -self.scores[chosen]))]


@dataclass(frozen=True, slots=True)
class VectorMatches:
    """Sections with the best of their passages.

    Attributes:
        refs: int64, shape ``(n,)``.
        cosines: float32 ``(n,)`` in [-1, 1]; NaN where no passage of the section has a vector.
        passages: int32 ``(n,)``: position of the best passage among its section's passages; -1 where there is
            none.
    """

    refs: IntArray
    cosines: ScoreArray
    passages: Int32Array
