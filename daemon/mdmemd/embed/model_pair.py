"""The model in use and, while the user changes models, a second one.

Invariants: ``other`` is the one to come until ``promote``, from then on the one before, which still answers
questions that began with its vectors; it is given back after ``RETIRED_SECONDS`` without use, so two models
are in memory only around a change. Each vector is asked of the model with its fingerprint. What changes
something returns whether another model is in use now; it is called on the embedder thread, ``find`` on any,
as references are replaced as a whole.
"""

from __future__ import annotations

from collections.abc import Collection

from mdmemd.embed.loaded_model import Load, LoadedModel
from mdmemd.ports import Clock, Encoder

RETIRED_SECONDS = 5.0
"""Without use, until a model that was in use is given back; a question takes far less."""


class ModelPair:
    """``unload_after_seconds`` is for the model in use; 0 keeps it for ever."""

    def __init__(self, load: Load, *, clock: Clock, unload_after_seconds: float) -> None:
        self._clock = clock
        self._unload_after_seconds = unload_after_seconds
        self._cut_before = 0
        self._is_retired = False
        self.current = LoadedModel(load, clock=clock, unload_after_seconds=unload_after_seconds)
        self.other: LoadedModel | None = None

    @property
    def texts_cut(self) -> int:
        """Passages that were longer than the limit, of all models so far."""
        return self._cut_before + self.current.texts_cut + (self.other.texts_cut if self.other else 0)

    def find(self, made_by: Collection[str]) -> LoadedModel | None:
        """The model of the only fingerprint in ``made_by``; the one in use where there is none in it."""
        other = self.other
        if other is not None and other.facts is not None and set(made_by) == {other.facts.fingerprint}:
            return other
        facts = self.current.facts
        return self.current if facts is None or set(made_by) <= {facts.fingerprint} else None

    def prepare(self, encoder: Encoder, load: Load) -> bool:
        """Have a second model, in memory already, which stays there until ``promote`` or ``drop_other``."""
        other = LoadedModel(load, clock=self._clock, unload_after_seconds=0.0)
        other.replace(encoder, load)
        self.drop_other()
        self._is_retired = False
        self.other = other
        return False

    def promote(self) -> bool:
        """The second model is the one in use from now on, if there is one to come."""
        if self.other is None or self._is_retired:
            return False
        self.current, self.other = self.other, self.current
        self.current.unload_after_seconds = self._unload_after_seconds
        self.other.unload_after_seconds = RETIRED_SECONDS
        self._is_retired = True
        return True

    def drop_other(self) -> bool:
        """Give the second model back; what is being computed with it ends as it would have."""
        other, self.other = self.other, None
        if other is not None:
            other.give_back()
            self._cut_before += other.texts_cut
        return False

    def seconds_until_idle(self) -> float | None:
        """How long until one of them may be given back; ``None`` where none may."""
        seconds = [self.current.seconds_until_idle()]
        if self.other is not None and self._is_retired:
            seconds.append(self.other.seconds_until_idle() if self.other.is_loaded else 0.0)
        return min((each for each in seconds if each is not None), default=None)

    def unload_if_idle(self) -> bool:
        """Give back what has not been used for long; whether there was any."""
        if self.other is not None and self._is_retired:
            if self.other.is_loaded and not self.other.unload_if_idle():
                return self.current.unload_if_idle()
            self.drop_other()
            return True
        return self.current.unload_if_idle()
