"""Which files of a root are in and why: changing a root, showing its rules, asking of one path."""

from __future__ import annotations

from mdmem_proto.messages.roots import ProblemRow, RootInfo
from mdmem_proto.messages.values import ChunkMode, Globs, Message, PathText, RootName, WatchChoice


class RootSetParams(Message, frozen=True):
    """``roots.set``: change the root ``name``; what is null, or an empty ``new_name``, stays as it is.

    The answer comes when the change is in effect, but after five seconds in any case.
    """

    name: RootName
    new_name: RootName = ""
    chunk_mode: ChunkMode | None = None
    exclude: Globs | None = None
    include: Globs | None = None
    watch: WatchChoice | None = None


class RemovedRow(Message, frozen=True, omit_defaults=False):
    """What one rule took away in the last walk of the root; a folder counts once, whatever is in it.

    ``rule`` is ``built_in``, ``nested_root``, ``worktree``, ``exclude``, ``include``, ``gitignore``,
    ``.mdmemignore`` or ``.mdmem.toml``; ``sentence`` says it in words. ``source`` and ``line`` are the place
    of ``pattern`` where it stands in a file, else empty and 0.
    """

    rule: str
    sentence: str
    source: str
    line: int
    pattern: str
    folders: int
    files: int
    examples: tuple[str, ...]


class RootShowResult(Message, frozen=True, omit_defaults=False):
    """``roots.show``: a root, its options, and what its rules do.

    ``ignore_files`` are the absolute paths of the files that rules were read from; ``unused_globs`` those of
    ``exclude`` and ``include`` that matched nothing.
    """

    root: RootInfo
    exclude: tuple[str, ...]
    include: tuple[str, ...]
    watch: str
    removed: tuple[RemovedRow, ...]
    ignore_files: tuple[str, ...]
    unused_globs: tuple[str, ...]


class WhyPathParams(Message, frozen=True):
    """``why.path``: whether the file or folder at the absolute ``path`` is indexed, and why not."""

    path: PathText


class WhyPathResult(Message, frozen=True, omit_defaults=False):
    """Where one path stands; ``sentence`` says it in words.

    ``state`` is ``indexed``, ``pending`` (waits to be read), ``excluded`` (by ``rule``, as in
    ``RemovedRow``), ``failed`` (see ``problems``), ``missing``, ``folder`` or ``outside`` (of every root).
    ``relative`` is the path in ``root``. Times are unix seconds; ``indexed_at`` is null where that was before
    the daemon's start.
    """

    path: str
    root: str | None
    relative: str
    state: str
    sentence: str
    rule: str
    source: str
    line: int
    pattern: str
    indexed_at: float | None
    modified_at: float | None
    problems: tuple[ProblemRow, ...]
