"""What a user may choose for a root, and what is wrong with a choice. Pure; any thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mdmemd.errors import InvalidRequestError
from mdmemd.model import ChunkMode, RootSpec, WatchChoice
from mdmemd.sync.globs import GLOBS_MAX, glob_problem


@dataclass(frozen=True, slots=True)
class RootOptions:
    """Choices for a root; ``None`` leaves a setting as it is, which is its default for a new root."""

    chunk_mode: ChunkMode | None = None
    exclude: tuple[str, ...] | None = None
    include: tuple[str, ...] | None = None
    watch: WatchChoice | None = None

    def check(self) -> None:
        """Raise ``InvalidRequestError`` where a glob cannot be used."""
        _check_globs("exclude", self.exclude or ())
        _check_globs("include", self.include or ())

    def apply(self, spec: RootSpec) -> RootSpec:
        """The root with these choices."""
        return replace(
            spec,
            chunk_mode=spec.chunk_mode if self.chunk_mode is None else self.chunk_mode,
            exclude=spec.exclude if self.exclude is None else self.exclude,
            include=spec.include if self.include is None else self.include,
            watch=spec.watch if self.watch is None else self.watch,
        )


NO_OPTIONS = RootOptions()


def _check_globs(kind: str, globs: Sequence[str]) -> None:
    if len(globs) > GLOBS_MAX:
        raise InvalidRequestError(
            f"There are {len(globs)} {kind} globs.",
            remedy=f"Give up to {GLOBS_MAX}; more fit into a .mdmemignore file.",
        )
    for glob in globs:
        if problem := glob_problem(glob):
            raise InvalidRequestError(f"The {kind} glob {glob[:100]!r} {problem}.", remedy="Correct it.")
