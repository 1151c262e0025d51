"""Registered roots."""

from __future__ import annotations

from mdmem_proto.messages.values import ChunkMode, Globs, Message, PathText, RootName, WaitUntil, WatchChoice


class ProblemRow(Message, frozen=True, omit_defaults=False):
    """Something that a file or a folder suffers from; ``line`` is null where it concerns the whole file."""

    path: str
    kind: str
    line: int | None
    message: str


class RootInfo(Message, frozen=True, omit_defaults=False):
    """One registered root.

    ``state`` is ``indexing``, ``embedding``, ``ready``, ``empty``, ``missing``, ``failed`` or ``asleep``
    (complete, not in memory; the first question wakes it).
    ``problems`` is the list that ``mdmemctl status`` shows, capped; ``problem_count`` is the whole number.
    ``watch_mode`` is ``events``, ``polling`` (then ``watch_reason`` says why) or empty where it is not known
    yet; ``watches`` counts the folders that the system watches for it.
    """

    name: str
    path: str
    state: str
    documents: int
    sections: int
    passages: int
    embedded: int
    pending_files: int
    problems: tuple[ProblemRow, ...]
    problem_count: int
    chunk_mode: str
    detail: str | None
    watch_mode: str = ""
    watch_reason: str | None = None
    watches: int = 0


class RootAddParams(Message, frozen=True):
    """``roots.add``: register the absolute folder ``path``, by its own name where ``name`` is empty.

    A folder that is registered already stays as it is, and asking for other options is refused.
    """

    path: PathText
    name: RootName = ""
    chunk_mode: ChunkMode = "auto"
    exclude: Globs = ()
    include: Globs = ()
    watch: WatchChoice = "auto"


class RootAddResult(Message, frozen=True, omit_defaults=False):
    """``created`` is false where the same folder was registered before."""

    root: RootInfo
    created: bool


class RootNameParams(Message, frozen=True):
    """``roots.remove``: forget the root ``name``; its files are not touched."""

    name: RootName


class RootListResult(Message, frozen=True, omit_defaults=False):
    """All registered roots by name."""

    roots: tuple[RootInfo, ...]


class RootWaitParams(Message, frozen=True):
    """``roots.wait``: end when the root is keyword-searchable, or has every passage embedded.

    ``progress`` events tell how far it is.
    """

    name: RootName
    until: WaitUntil = "embedded"


class ProgressEvent(Message, frozen=True, omit_defaults=False):
    """``progress`` event: ``phase`` tells what is counted.

    Of ``roots.wait`` and ``sync`` it is ``index`` (files) or ``embed`` (passages), of ``models.download``
    ``download`` (bytes).
    """

    phase: str
    done: int
    total: int
