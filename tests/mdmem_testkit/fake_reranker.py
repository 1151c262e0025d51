"""``ports.Reranker`` by counted words: a text is as good as the share of the question's words that it has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mdmemd.errors import ModelUnavailableError


class FakeReranker:
    """``calls`` has what was asked; ``reads_max`` texts fit into the time; ``failure`` is raised."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[str, ...]]] = []
        self.reads_max = 1_000
        self.failure: ModelUnavailableError | None = None
        self.liked = ""

    def scores(self, question: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        self.calls.append((question, tuple(texts)))
        if self.failure is not None:
            raise self.failure
        return [self._score(question, text) for text in texts[: self.reads_max]]

    def _score(self, question: str, text: str) -> float:
        if self.liked and self.liked in text:
            return 1.0
        asked = set(re.findall(r"\w+", question.lower()))
        return 0.9 * len(asked & set(re.findall(r"\w+", text.lower()))) / max(1, len(asked))
