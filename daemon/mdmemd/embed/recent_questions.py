"""The vectors of the questions asked last, so that paging and repeated questions cost no run of the model.

A plain container for one model, least recently used goes first; not locked (``queue`` does that).
"""

from __future__ import annotations

from collections import OrderedDict

from mdmemd.model import FloatVector

QUESTIONS_MAX = 256


class RecentQuestions:
    """At most ``QUESTIONS_MAX`` questions."""

    def __init__(self) -> None:
        self._vectors: OrderedDict[str, FloatVector] = OrderedDict()

    def get(self, text: str) -> FloatVector | None:
        """The vector of a question, if it was asked lately."""
        vector = self._vectors.get(text)
        if vector is not None:
            self._vectors.move_to_end(text)
        return vector

    def put(self, text: str, vector: FloatVector) -> None:
        """Remember a question."""
        self._vectors[text] = vector
        self._vectors.move_to_end(text)
        if len(self._vectors) > QUESTIONS_MAX:
            self._vectors.popitem(last=False)
