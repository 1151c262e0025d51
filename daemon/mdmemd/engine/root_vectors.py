"""The vectors of one root: which texts still lack one, which never get one, and which encoder gave them.

Invariants: a text is handed out once; what comes back, and what leaves the index before, leaves the set of
those awaited; a text that failed is known as long as it is in the index. Touched by the writer's thread only.
Does not talk to the embedder: the writer does.
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
        self._fresh: list[UnembeddedPassage] = []
        self._awaited: set[VectorKey] = set()
        self._failed: set[VectorKey] = set()
        self._first_done = False

    @property
    def awaited(self) -> int:
        """How many distinct texts have no vector yet and shall get one."""
        self._forget_unwanted()
        return len(self._awaited)

    @property
    def failed(self) -> int:
        """How many distinct texts the model could not embed."""
        self._forget_unwanted()
        return len(self._failed)

    def _forget_unwanted(self) -> None:
        unwanted = self._index.take_unwanted()
        self._awaited.difference_update(unwanted)
        self._failed.difference_update(unwanted)

    def want(self, passages: Iterable[UnembeddedPassage], *, fresh: bool = False) -> None:
        """Texts that have come into the index without a vector; ``fresh`` ones of a file just saved."""
        passages = tuple(passages)
        (self._fresh if fresh else self._unsubmitted).extend(passages)
        self._awaited.update(passage.key for passage in passages)

    def take_fresh(self) -> list[UnembeddedPassage]:
        """The texts of files just saved, to embed at once."""
        passages, self._fresh = self._fresh, []
        return passages

    def take_unsubmitted(self) -> tuple[list[UnembeddedPassage], bool]:
        """All other texts to embed now, and whether they are later than the first indexing."""
        later, self._first_done = self._first_done, True
        passages, self._unsubmitted = self._unsubmitted, []
        return passages, later

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
        self._fresh.clear()
        self._unsubmitted = list(self._index.unembedded())
        self._awaited = {passage.key for passage in self._unsubmitted}

    def add(self, keys: Sequence[VectorKey], vectors: FloatMatrix, failed: Sequence[VectorKey]) -> None:
        """Vectors that have come back, and the keys for which none will."""
        self._index.add_vectors(keys, vectors)
        self._awaited.difference_update(keys)
        self._awaited.difference_update(failed)
        if not self._awaited:
            self._awaited = set()  # an emptied set keeps the room of the most it ever held
        self._failed.update(key for key in failed if self._index.is_waiting(key))
