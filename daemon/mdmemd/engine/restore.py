"""The index that a root begins with: the saved one as far as it can be used, else an empty one.

``restore`` runs on the writer's thread; ``message`` may be read on any. What is wrong with a saved index is
never an error: its root is read from its files again, and the user is told.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from mdmemd.index.root_index import RootIndex
from mdmemd.model import ModelIdentity, RootSpec
from mdmemd.ports import CheckpointDisk
from mdmemd.store.checkpoint_load import load
from mdmemd.store.manifest import Making

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Restored:
    """An index to go on with; ``vectors_by`` is the fingerprint of the encoder of its vectors, if any."""

    index: RootIndex
    vectors_by: str


class Restorer:
    """Restores roots for the model in use, which ``model`` tells."""

    def __init__(self, disk: CheckpointDisk, *, model: Callable[[], ModelIdentity]) -> None:
        self._disk = disk
        self._model = model
        self._messages: dict[str, str] = {}

    def restore(self, spec: RootSpec) -> Restored:
        """The index of a root that the writer begins with."""
        self._messages.pop(spec.name, None)
        try:
            return self._restore(spec)
        except Exception as error:  # a bug that a saved index brings out must not cost the root
            log.exception("restoring %s failed", spec.name)
            self._messages[spec.name] = _sentence(spec.name, (f"{type(error).__name__}: {error}",))
            return self._empty()

    def _restore(self, spec: RootSpec) -> Restored:
        model = self._model()
        wanted = Making.now(spec, model=model.fingerprint, dimensions=model.dimensions)
        loaded = load(self._disk, wanted=wanted)
        if loaded.problems:
            self._messages[spec.name] = _sentence(spec.name, loaded.problems)
        if loaded.image is None:
            return self._empty()
        index = RootIndex.restored(loaded.image, dimensions=model.dimensions, is_saved=not loaded.problems)
        return Restored(index, loaded.vectors_by)

    def _empty(self) -> Restored:
        return Restored(RootIndex(dimensions=self._model().dimensions), "")

    def forget(self, name: str) -> None:
        """What was wrong with the saved index of a root is so no longer: it was saved anew, or removed."""
        self._messages.pop(name, None)

    def message(self) -> str | None:
        """What was wrong with saved indexes at this start."""
        return " ".join(tuple(self._messages.values())) or None


def _sentence(name: str, problems: tuple[str, ...]) -> str:
    more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
    return (
        f"The saved index of {name} could not be used as it was ({problems[0]}{more}); "
        "what is missing is made again from its files."
    )
