"""The model in memory: loaded when needed, given back after long idleness, replaced by another.

Invariants: whoever computes with the encoder counts as a use from beginning to end, and an encoder in use is
never given back, however short the idle time (M9); the time without use begins at the end of the last one.
What is known of the model (``facts``) outlives its unloading, since it will be the same when it is loaded
again. ``load``, ``replace`` and ``unload`` on the embedder thread, all else on any; the lock is held for
moments only, never while computing or loading.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from mdmemd.embed.heap import release_free_memory
from mdmemd.ports import Clock, Encoder

log = logging.getLogger(__name__)

Load = Callable[[], Encoder]
"""Loads a model; raises ``ModelUnavailableError``."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a model said of itself when it was loaded last."""

    fingerprint: str
    dimensions: int
    message: str | None


class LoadedModel:
    """At most one encoder; ``unload_after_seconds`` 0 keeps it for ever, and may be set anew."""

    def __init__(self, load: Load, *, clock: Clock, unload_after_seconds: float) -> None:
        self._load = load
        self._clock = clock
        self.unload_after_seconds = unload_after_seconds
        self._lock = threading.Lock()
        self._encoder: Encoder | None = None
        self._facts: ModelFacts | None = None
        self._uses = 0
        self._used_at = clock.monotonic()
        self._cut_before = 0

    @property
    def facts(self) -> ModelFacts | None:
        """``None`` before the first load."""
        return self._facts

    @property
    def is_loaded(self) -> bool:
        """Whether it is in memory now."""
        return self._encoder is not None

    @property
    def texts_cut(self) -> int:
        """Passages that were longer than the limit, of all encoders so far."""
        with self._lock:
            encoder = self._encoder
            return self._cut_before + (encoder.texts_cut if encoder is not None else 0)

    @contextmanager
    def use(self) -> Iterator[Encoder | None]:
        """The encoder for as long as the context lasts; ``None`` where there is none in memory."""
        with self._lock:
            encoder = self._encoder
            self._uses += encoder is not None
        try:
            yield encoder
        finally:
            if encoder is not None:
                with self._lock:
                    self._uses -= 1
                    self._used_at = self._clock.monotonic()

    # --- embedder thread ------------------------------------------------------------------------------------

    def load(self) -> None:
        """Load the model. Raises what ``Load`` raises; nothing has changed then."""
        self._take(self._load())

    def replace(self, encoder: Encoder, load: Load) -> None:
        """Go on with another model, which ``load`` loads again after an unloading."""
        self._load = load
        self._take(encoder)

    def give_back(self) -> None:
        """Give its memory back, for questions that are being computed when they are done."""
        with self._lock:
            self._drop()
        release_free_memory()

    def seconds_until_idle(self) -> float | None:
        """How long until it may be given back; ``None`` where it may not, or there is none."""
        with self._lock:
            if self._encoder is None or not self.unload_after_seconds:
                return None
            if self._uses:
                return self.unload_after_seconds
            return max(0.0, self._used_at + self.unload_after_seconds - self._clock.monotonic())

    def unload_if_idle(self) -> bool:
        """Give its memory back if it has not been used for long; whether it was."""
        if self.seconds_until_idle() != 0:
            return False
        with self._lock:
            if self._uses:
                return False
            self._drop()
        release_free_memory()
        log.info("the model was unloaded after %d s without use", self.unload_after_seconds)
        return True

    def _take(self, encoder: Encoder) -> None:
        with self._lock:
            self._drop()
            self._encoder = encoder
            self._facts = ModelFacts(encoder.fingerprint, encoder.dimensions, encoder.message)
            self._used_at = self._clock.monotonic()

    def _drop(self) -> None:
        if self._encoder is not None:
            self._cut_before += self._encoder.texts_cut
        self._encoder = None
