"""The model of this engine: the one that the user has chosen, and what indexes have to know of it.

Every path to a model goes through here (M6): the embedder loads it, saved indexes are marked with it, status
names it. A choice that cannot be had is a failure with a sentence, never another model. While a change is
under way ``next`` is the model to come. Both are replaced as a whole and may be read on any thread; what
changes them is called by one thread at a time.
"""

from __future__ import annotations

from collections.abc import Callable

from mdmemd.embed.model_choice import Choice, ModelChoice
from mdmemd.embed.model_files import ModelFiles
from mdmemd.embed.model_library import ModelLibrary
from mdmemd.embed.registry import ModelSpec
from mdmemd.errors import DaemonError, ModelUnavailableError, OperatorError
from mdmemd.model import ModelIdentity
from mdmemd.ports import Encoder

LoadFiles = Callable[[ModelFiles], Encoder]
"""Verifies and loads a model; raises ``ModelUnavailableError``."""


class ChosenModel:
    """Reads the choice once, when it is made."""

    def __init__(self, *, choice: ModelChoice, library: ModelLibrary, load: LoadFiles) -> None:
        self._choice = choice
        self._library = library
        self._load = load
        self._failure: OperatorError | None = None
        self._current = self._read()
        self._is_saved = True
        self.given_up: str | None = None

    @property
    def identity(self) -> ModelIdentity:
        """The model in use."""
        return self._current.model

    @property
    def next(self) -> ModelIdentity | None:
        """The model to come, if a change is under way."""
        return self._current.next

    def load(self) -> Encoder:
        """Load the model in use. Raises ``ModelUnavailableError``."""
        if self._failure is not None:
            raise ModelUnavailableError(str(self._failure), remedy=self._failure.remedy)
        name = self.identity.name
        try:
            spec = self._library.resolve(name)
        except ModelUnavailableError:
            raise
        except DaemonError as error:
            raise ModelUnavailableError(
                f"The chosen model cannot be used: {error}",
                remedy=f"{error.remedy} Then stop the daemon; the next command starts it.",
            ) from error
        if spec.fingerprint != self.identity.fingerprint:
            raise ModelUnavailableError(
                f"The files of the model in {name} have changed since it was chosen.",
                remedy=f"Restore them, or choose the folder as it is now: mdmemctl model use {name}",
            )
        return self._load(self._library.files(spec))

    def load_other(self, spec: ModelSpec) -> Encoder:
        """Load any model; nothing is chosen by that. Raises ``ModelUnavailableError``."""
        return self._load(self._library.files(spec))

    def choose(self, spec: ModelSpec) -> None:
        """Make it the model in use, durably. Raises ``OperatorError``; nothing has changed then."""
        self._write(Choice(spec.identity))
        self._failure = None

    def plan(self, spec: ModelSpec) -> None:
        """Make it the model to come, durably. Raises as ``choose`` does."""
        self._write(Choice(self.identity, next=spec.identity))

    def give_up(self, reason: str | None = None) -> None:
        """Stay with the model in use; ``given_up`` tells the reason. Raises as ``choose`` does."""
        self.given_up = reason
        self._write(Choice(self.identity))

    def switch(self) -> None:
        """Make the model to come the one in use, in memory; ``save`` makes that durable."""
        if self._current.next is not None:
            self._current = Choice(self._current.next)
            self._is_saved = False

    def save(self) -> None:
        """Make a switch durable. Raises ``OperatorError``; a start begins the change again then."""
        if not self._is_saved:
            self._write(self._current)

    def _write(self, choice: Choice) -> None:
        self._choice.write(choice)
        self._current = choice
        self._is_saved = True
        if choice.next is not None:
            self.given_up = None

    def _read(self) -> Choice:
        default = Choice(self._library.default.identity)
        try:
            chosen = self._choice.read()
        except OperatorError as error:
            self._failure = error
            return default
        if chosen is None:
            return default
        to_come = chosen.next
        return Choice(self._as_known(chosen.model), self._as_known(to_come) if to_come is not None else None)

    def _as_known(self, chosen: ModelIdentity) -> ModelIdentity:
        """The pins of a preset may be others in this version; those of a folder are what was chosen."""
        known = next((spec for spec in self._library.presets if spec.name == chosen.name), None)
        return known.identity if known is not None else chosen
