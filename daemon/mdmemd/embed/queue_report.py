"""What the queue before the model says of itself: frozen values, made by ``queue``, read on any thread."""

from __future__ import annotations

from dataclasses import dataclass

from mdmemd.errors import ModelUnavailableError
from mdmemd.model import ModelState


@dataclass(frozen=True, slots=True)
class EmbedState:
    """The model: ``failure`` says why it will not be ready; until it is, the other facts are empty or 0.

    ``model_message`` and ``cache_message`` are what the user should know about how the model runs and about
    the vector cache, if anything. ``is_unloaded``: it is ready, and in memory again when it is needed.
    """

    phase: ModelState
    fingerprint: str = ""
    dimensions: int = 0
    failure: ModelUnavailableError | None = None
    model_message: str | None = None
    cache_message: str | None = None
    is_unloaded: bool = False


@dataclass(frozen=True, slots=True)
class EmbedProgress:
    """Passages since the start: computed, found in the cache, failed; and those still to be delivered.

    ``cut`` counts texts so long that their ends do not count; ``passages_per_second`` is that of the latest
    runs.
    """

    embedded: int = 0
    from_cache: int = 0
    failed: int = 0
    cut: int = 0
    queued: int = 0
    passages_per_second: float = 0.0
