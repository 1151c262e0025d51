"""The vector of a question, waited for within its time. Called on the query pool."""

from __future__ import annotations

from collections.abc import Collection

from mdmemd.embed.queue import EmbedQueue
from mdmemd.errors import ModelUnavailableError
from mdmemd.model import FloatVector, ModelState

QUESTION_EMBED_SECONDS = 1.5
"""How long a question waits for its vector; then it is answered by keywords and says so.

Covers the load of the built-in model, so that the first question after a start is a full one.
"""


def question_vector(embedder: EmbedQueue, text: str, made_by: Collection[str]) -> FloatVector:
    """The vector of a question by the model of these fingerprints, within its time.

    Raises ``ModelUnavailableError``.
    """
    future = embedder.submit_query(text, made_by=made_by)
    try:
        return future.result(QUESTION_EMBED_SECONDS)
    except TimeoutError:
        future.cancel()
        loading = embedder.state().phase is ModelState.LOADING
        reason = "is still loading" if loading else f"took longer than {QUESTION_EMBED_SECONDS} s"
        raise ModelUnavailableError(
            f"The embedding model {reason}.", remedy="Ask again in a moment."
        ) from None
