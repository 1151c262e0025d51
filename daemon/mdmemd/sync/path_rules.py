"""What the rules of a root say of single paths, without a walk: the ignore files on the way down are read.

Invariants: says of each path what a walk would say. Rules of a folder are kept for the life of the object,
which is one look. Runs on the writer's thread, and on the query pool for ``why``. Looks at rules only, not at
the files themselves: what is a link, too large or gone is for ``scan`` to say.
"""

from __future__ import annotations

from mdmemd.ports import FileSystem
from mdmemd.sync.exclusion import Exclusion
from mdmemd.sync.ignore_rules import FolderRules
from mdmemd.sync.rule_reading import RuleReader
from mdmemd.sync.scope import Scope


class PathRules:
    """Decides on paths relative to the root at the absolute path ``folder``."""

    def __init__(
        self, files: FileSystem, folder: str, scope: Scope, *, reader: RuleReader | None = None
    ) -> None:
        """Without a ``reader`` one is made; the rules above the root count in any case."""
        self.reader = reader or scope.reader(files, folder)
        self._scope = scope
        self._folders: dict[str, FolderRules | Exclusion] = {}

    def of_folder(self, inside: str) -> FolderRules | Exclusion:
        """The rules in force in a folder (empty: the root), or why it is out."""
        known = self._folders.get(inside)
        if known is None:
            known = self._folders[inside] = self._enter(inside)
        return known

    def exclusion(self, path: str) -> Exclusion | None:
        """Why the file at ``path`` is no document; ``None`` where the rules keep it."""
        inside, _, name = path.rpartition("/")
        rules = self.of_folder(inside)
        if isinstance(rules, Exclusion):
            return rules
        return self._scope.file_exclusion(path, name, rules, self.reader.local)

    def _enter(self, inside: str) -> FolderRules | Exclusion:
        if not inside:
            begun: FolderRules | Exclusion = self.reader.above_root()
        else:
            around, _, name = inside.rpartition("/")
            outer = self.of_folder(around)
            if isinstance(outer, Exclusion):
                return outer
            begun = self._scope.enter_folder(inside, name, outer, self.reader.local)
        if isinstance(begun, Exclusion):
            return begun
        return self.reader.enter(begun, inside, self.reader.present(inside))
