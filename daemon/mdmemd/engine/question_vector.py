"""The vector of a question, begun before its roots are brought up to the disk, waited for within its time.

Beside it run the look at the disk and the words; then the question finds the vector among the recent ones of
the embedder. What is begun is a favour: where no thread of ``THREADS`` is free, or another model is wanted in
the end, the question computes the vector itself. Called on the query pool.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from mdmemd.embed.queue import EmbedQueue
from mdmemd.engine.state import RootView
from mdmemd.errors import ModelUnavailableError
from mdmemd.model import FloatVector, ModelState, SearchMode
from mdmemd.search.page import Question
from mdmemd.search.query import ParsedQuery, parse_query

QUESTION_EMBED_SECONDS = 1.5
"""How long a question waits for its vector; then it is answered by keywords and says so.

Covers the load of the built-in model, so that the first question after a start is a full one.
"""

THREADS = 2
"""As many questions at a time gain by it on the cores of a small machine."""


class QuestionVectors:
    """The vectors of questions by one embedder; ``parse`` takes a question apart as ``parse_query`` does."""

    def __init__(self, embedder: EmbedQueue, *, parse: Callable[[str], ParsedQuery] = parse_query) -> None:
        self._parse = parse
        self._embedder = embedder
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="question-vector")
        self._lock = threading.Lock()
        self._begun: dict[str, Future[Future[FloatVector]]] = {}

    def begin(self, question: Question, views: Iterable[RootView]) -> None:
        """Begin with the vector of a question to these roots, if it will want one and the model is at hand.

        Raises ``InvalidRequestError`` for a question that cannot be one.
        """
        if question.mode not in (SearchMode.HYBRID, SearchMode.SEMANTIC):
            return
        query = self._parse(question.query)
        model = self._embedder.state()
        is_ready = model.phase is ModelState.READY and not model.is_unloaded
        if not query.concepts or not is_ready or not any(view.snapshot.embedded for view in views):
            return
        with self._lock:
            if query.text in self._begun:
                return
            begun = self._threads.submit(self._embedder.submit_query, query.text)
            self._begun[query.text] = begun
        begun.add_done_callback(lambda _: self._begun.pop(query.text))

    def vector(self, text: str, made_by: Collection[str]) -> FloatVector:
        """The vector of a question by the model of these fingerprints, within its time.

        Raises ``ModelUnavailableError``.
        """
        ends_at = time.monotonic() + QUESTION_EMBED_SECONDS
        begun = self._begun.get(text)
        if begun is not None and not begun.cancel():
            wait((begun,), QUESTION_EMBED_SECONDS)
        future = self._embedder.submit_query(text, made_by=made_by)
        try:
            return future.result(max(0.0, ends_at - time.monotonic()))
        except TimeoutError:
            future.cancel()
            loading = self._embedder.state().phase is ModelState.LOADING
            reason = "is still loading" if loading else f"took longer than {QUESTION_EMBED_SECONDS} s"
            raise ModelUnavailableError(
                f"The embedding model {reason}.", remedy="Ask again in a moment."
            ) from None
