"""What is to be looked at in one root: paths and trees that may have changed, and nothing twice.

Invariants: a tree swallows what is at and below it; no more than ``ENTRIES_MAX`` entries are held (beyond,
all of them become the one tree around them), so a storm of changes costs bounded memory and ends in a walk.
Pure and for one thread: ``hint_box`` has the locked one.
"""

from __future__ import annotations

from bisect import bisect_left, insort

from mdmemd.ports import Hint

ENTRIES_MAX = 4096
"""More single looks than this are not cheaper than a walk of the folder around them."""


class PendingSet:
    """Root-relative paths and trees; the empty tree is the whole root."""

    def __init__(self, *, entries_max: int = ENTRIES_MAX) -> None:
        self._entries_max = entries_max
        # Both sorted: what lies below a tree is one run, from "tree/" to "tree0" ("0" follows "/").
        self._paths: list[str] = []
        self._trees: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._paths or self._trees)

    def __len__(self) -> int:
        return len(self._paths) + len(self._trees)

    @property
    def paths(self) -> tuple[str, ...]:
        """The single paths, sorted; none lies in a tree."""
        return tuple(self._paths)

    @property
    def trees(self) -> tuple[str, ...]:
        """The trees, sorted; none lies in another."""
        return tuple(self._trees)

    def add(self, hint: Hint) -> None:
        """Note one path or tree."""
        path = hint.path.strip("/")
        if self._is_swallowed(path):
            return
        if hint.is_tree or not path:
            self._swallow(self._paths, path)
            self._swallow(self._trees, path)
            insort(self._trees, path)
        else:
            position = bisect_left(self._paths, path)
            if self._paths[position : position + 1] != [path]:
                self._paths.insert(position, path)
        if len(self) > self._entries_max:
            self._collapse()

    def update(self, other: PendingSet) -> None:
        """Note all that another set holds."""
        for tree in other._trees:
            self.add(Hint(tree, is_tree=True))
        for path in other._paths:
            self.add(Hint(path, is_tree=False))

    def take_paths(self, count: int) -> list[str]:
        """Take out up to so many single paths."""
        taken, self._paths = self._paths[:count], self._paths[count:]
        return taken

    def take_tree(self) -> str | None:
        """Take out one tree."""
        return self._trees.pop() if self._trees else None

    def clear(self) -> None:
        """Forget all."""
        self._paths.clear()
        self._trees.clear()

    def _is_swallowed(self, path: str) -> bool:
        """Whether a tree at or above the path is held."""
        if not self._trees:
            return False
        while True:
            position = bisect_left(self._trees, path)
            if self._trees[position : position + 1] == [path]:
                return True
            if not path:
                return False
            path = path.rpartition("/")[0]

    def _collapse(self) -> None:
        """Replace everything by the one tree around it."""
        folders = [path.rpartition("/")[0] for path in self._paths] + self._trees
        self.clear()
        self._trees.append(_common_folder(folders))

    @staticmethod
    def _swallow(names: list[str], tree: str) -> None:
        """Drop from a sorted list what is at or below the tree."""
        if not tree:
            names.clear()
            return
        del names[bisect_left(names, f"{tree}/") : bisect_left(names, f"{tree}0")]
        position = bisect_left(names, tree)
        if names[position : position + 1] == [tree]:
            del names[position]


def _common_folder(folders: list[str]) -> str:
    """The innermost folder at or above all of these."""
    parts = [folder.split("/") if folder else [] for folder in folders]
    lowest, highest = min(parts), max(parts)
    depth = 0
    while depth < min(len(lowest), len(highest)) and lowest[depth] == highest[depth]:
        depth += 1
    return "/".join(lowest[:depth])
