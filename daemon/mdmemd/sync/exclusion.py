"""Why something is not indexed: one reason, and how much each reason has taken away. Pure values.

Made by ``scope`` and ``ignore_rules`` on whichever thread asks; a ``Tally`` belongs to one walk.
"""

from __future__ import annotations

from dataclasses import dataclass, field

EXAMPLES_MAX = 3
"""How many paths a reason is shown with."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """The rule that keeps a path out.

    Attributes:
        rule: ``built_in``, ``nested_root``, ``worktree``, ``exclude``, ``include``, ``.mdmem.toml``,
            ``.mdmemignore``, ``gitignore`` or ``suffix``.
        sentence: what it says, to follow "not indexed:".
        pattern: the glob or the line of the ignore file, where there is one.
        source: the ignore file, relative to the root or absolute where it lies outside.
        line: of that file.
    """

    rule: str
    sentence: str
    pattern: str = ""
    source: str = ""
    line: int = 0


@dataclass(slots=True)
class Tally:
    """What one reason took away in one walk: folders count once, whatever is in them."""

    folders: int = 0
    files: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, path: str, *, is_folder: bool) -> None:
        """Count a root-relative path."""
        if is_folder:
            self.folders += 1
        else:
            self.files += 1
        if len(self.examples) < EXAMPLES_MAX:
            self.examples.append(path)


@dataclass(frozen=True, slots=True)
class Removed:
    """What one reason took away, frozen; see ``Tally``."""

    reason: Exclusion
    folders: int
    files: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScopeReport:
    """What the rules of a root did in its last whole walk.

    ``removed`` begins with what took away most; ``ignore_files`` are the absolute paths of the files that
    rules were read from; ``unused_globs`` are those of the root that matched nothing.
    """

    removed: tuple[Removed, ...] = ()
    ignore_files: tuple[str, ...] = ()
    unused_globs: tuple[str, ...] = ()
