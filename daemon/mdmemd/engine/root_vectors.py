"""The vectors of one root: which texts still lack one, which never get one, and which encoder gave them.

Invariants: a text is handed out once; what comes back leaves the set of those awaited. Touched by the
writer's thread only. Does not talk to the embedder: the writer does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mdmemd.index.root_index import RootIndex
from mdmemd.model import FloatMatrix, UnembeddedPassage, VectorKey


class RootVectors:
    """What is known of the vectors of one index."""

    def __init__(self, index: RootIndex, *, made_by: str) -> None:
        self._index = index
        self.made_by = made_by
        self._unsubmitted: list[UnembeddedPassage] = []
        self._awaited: set[VectorKey] = set()
        self._failed: set[VectorKey] = set()
        self._first_done = False

    @property
    def awaited(self) -> int:
        """How many distinct texts have no vector yet and shall get one."""
        return len(self._awaited)

    @property
    def failed(self) -> int:
        """How many distinct texts the model could not embed."""
        return len(self._failed)

    def want(self, passages: Iterable[UnembeddedPassage]) -> None:
        """Texts that have come into the index without a vector."""
        passages = tuple(passages)
        self._unsubmitted.extend(passages)
        self._awaited.update(passage.key for passage in passages)

    def take_unsubmitted(self) -> tuple[list[UnembeddedPassage], bool]:
        """All texts to embed now, and whether they are fresh edits rather than the first indexing."""
        fresh, self._first_done = self._first_done, True
        passages, self._unsubmitted = self._unsubmitted, []
        return passages, fresh

    def use_model(self, fingerprint: str, *, dimensions: int) -> bool:
        """The encoder of all vectors to come, of this length.

        Drops those of another one and returns whether it did.
        """
        is_other = self.made_by not in ("", fingerprint)
        self.made_by = fingerprint
        if is_other or dimensions != self._index.dimensions:
            self._index.drop_vectors(dimensions=dimensions)
        return is_other

    def want_again(self) -> None:
        """All texts that wait, also those whose embedding was given up or has failed (by another model)."""
        self._failed.clear()
        self._unsubmitted = list(self._index.unembedded())
        self._awaited = {passage.key for passage in self._unsubmitted}

    def add(self, keys: Sequence[VectorKey], vectors: FloatMatrix, failed: Sequence[VectorKey]) -> None:
        """Vectors that have come back, and the keys for which none will."""
        self._index.add_vectors(keys, vectors)
        self._awaited.difference_update(keys)
        self._awaited.difference_update(failed)
        self._failed.update(failed)
