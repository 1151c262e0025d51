"""How the roots of this daemon are looked at: rules, watcher, and how often they are walked all the same.

Made once by ``assembly``; the writer opens a watch for each root on its thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mdmemd.model import RootSpec, WatchChoice
from mdmemd.ports import Hint, RootWatch, Watcher, WatchMode
from mdmemd.sync.scope import ScopeRules


@dataclass(frozen=True, slots=True)
class Watching:
    """See the module. ``mode`` is that of roots that choose none; ``None`` leaves it to the file system."""

    rules: ScopeRules
    watcher: Watcher
    mode: WatchMode | None
    reconcile_seconds: float

    def open(self, spec: RootSpec, notify: Callable[[Hint], None]) -> RootWatch:
        """Begin to watch a root as it wants to be watched."""
        mode = self.mode if spec.watch is WatchChoice.AUTO else WatchMode(spec.watch.value)
        return self.watcher.open(spec.path, notify, mode=mode)
