"""A change of model: second indexes of all roots (``rebuild``), which take over together.

Until then the old indexes answer with the vectors of the old model. They switch in one step, so that a
question to several roots never meets two models. A root that is out of reach is left behind: at the switch
it loses its vectors, and gets others when it is back. So is one that sleeps; it is restored without. Touched
by the writer's thread only.
"""

from __future__ import annotations

from mdmemd.engine.events import ModelReady
from mdmemd.engine.rebuild import Rebuild
from mdmemd.engine.root_work import RootWork
from mdmemd.model import RootId


class ModelChange:
    """The change to ``model``."""

    def __init__(self, model: ModelReady) -> None:
        self.model = model
        self._left_behind: set[RootId] = set()

    def leave_behind(self, root_id: RootId) -> None:
        """Switch without a second index of this root."""
        self._left_behind.add(root_id)

    def needs(self, root: RootWork) -> bool:
        """Whether a root that has no second index shall have one."""
        if root.view().missing is not None:
            self.leave_behind(root.root_id)
        return root.root_id not in self._left_behind

    def made(self, rebuild: Rebuild) -> bool:
        """Whether a second index is one of this change."""
        return rebuild.new.vectors.made_by == self.model.fingerprint
