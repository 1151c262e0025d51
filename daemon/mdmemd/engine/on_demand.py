"""Vectors for what a question finds by words while its root is still being embedded.

The best sections by words have their next passages embedded before all else, so that hybrid search begins
with the first questions of a large root and not with its last vector. Only texts that wait at the embedder
can be had, which is from the moment on that no file of the root waits; nothing is read or parsed here.
Bounded by ``PASSAGES_MAX`` and ``WAIT_SECONDS``: a model that takes longer delivers to later questions. The
vectors come to the index and the cache on the usual way, and the question waits until the state has them.
Called on the query pool.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait

import numpy as np

from mdmemd.embed.queue import EmbedQueue
from mdmemd.engine.state import Published, RootView, State
from mdmemd.index.scope import Scope
from mdmemd.model import ModelState, SearchMode, VectorKey
from mdmemd.search.keyword_evidence import KeywordEvidence
from mdmemd.search.page import Question
from mdmemd.search.query import ParsedQuery

SECTIONS_MAX = 8
PASSAGES_MAX = 4
"""One short run of the model."""

OF_SECTION_MAX = 2
"""So that one long section does not take all of them."""

WAIT_SECONDS = 0.02
"""For the run that goes on, that of the question, and the writer. Whoever is late serves the next question.

Measured on 2 cores with ``python tests/bench/run.py FOLDER`` while 8,621 passages were embedded: p95 of 46 ms
of distinct questions with 0.02 s, 54 with 0.03, 68 with 0.05; 13 ms when all is embedded.
"""


class OnDemandVectors:
    """Asks the embedder to hurry; ``parse`` takes a question apart as ``parse_query`` does."""

    def __init__(self, embedder: EmbedQueue, state: State, *, parse: Callable[[str], ParsedQuery]) -> None:
        self._parse = parse
        self._embedder = embedder
        self._state = state

    def embed(self, views: Mapping[str, RootView], question: Question, scope: Callable[[], Scope]) -> bool:
        """Whether the state has vectors now that ``views``, the roots of the question, had not.

        ``scope`` gives the sections to search, and is called only where something waits. Raises
        ``InvalidRequestError`` for a question that cannot be one.
        """
        if question.mode is SearchMode.KEYWORD or not any(view.awaited_vectors for view in views.values()):
            return False
        model = self._embedder.state()
        if model.phase is not ModelState.READY or model.is_unloaded:
            return False
        ends_at = time.monotonic() + WAIT_SECONDS
        wanted = self._wanted(scope(), question)
        delivered: dict[str, Future[tuple[VectorKey, ...]]] = {
            name: self._embedder.hurry(views[name].snapshot.revision[0], keys)
            for name, keys in wanted.items()
        }
        wait(delivered.values(), timeout=max(0.0, ends_at - time.monotonic()))
        came = {name: future.result() for name, future in delivered.items() if future.done()}
        came = {name: keys for name, keys in came.items() if keys}
        if not came:
            return False

        def has_them(published: Published) -> bool:
            return all(_has(published, name, keys) for name, keys in came.items())

        self._state.wait_for(has_them, timeout_seconds=max(0.0, ends_at - time.monotonic()))
        return True

    def _wanted(self, scope: Scope, question: Question) -> dict[str, list[VectorKey]]:
        """By root, what the best sections by words lack, best first."""
        query = self._parse(question.query)
        if not query.concepts:
            return {}
        evidence = KeywordEvidence(scope, query)
        best = evidence.matches.refs[evidence.best[:SECTIONS_MAX]]
        return scope.without_vector(best.tolist(), count=PASSAGES_MAX, of_section=OF_SECTION_MAX)


def _has(published: Published, name: str, keys: tuple[VectorKey, ...]) -> bool:
    view = published.roots.get(name)
    return view is None or bool(view.snapshot.vectors.has(np.array(keys, np.int32)).all())
