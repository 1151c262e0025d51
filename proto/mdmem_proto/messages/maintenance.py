"""Keeping the daemon's state in order: removing, indexing anew, and indexes as files."""

from __future__ import annotations

from mdmem_proto.messages.roots import RootInfo
from mdmem_proto.messages.values import Message, PathText, RootName


class GcResult(Message, frozen=True, omit_defaults=False):
    """``gc``: what was removed that no root needs; ``memory_bytes`` went back to the system."""

    files: int
    bytes: int
    memory_bytes: int


class IndexParams(Message, frozen=True):
    """``index``: look at the root ``name`` now, or at the root or file at the absolute ``path``.

    With neither all roots are meant. A file is read again in any case; with ``force`` the whole index of a
    root is made anew, and the old one answers until that is complete. ``roots.wait`` tells how far it is.
    """

    name: RootName = ""
    path: PathText = ""
    force: bool = False


class IndexResult(Message, frozen=True, omit_defaults=False):
    """The roots that were meant; ``file`` is the path of a single file in the only one of them."""

    roots: tuple[RootInfo, ...]
    file: str | None


class ExportParams(Message, frozen=True):
    """``export``: the daemon writes the index of ``root`` to the absolute ``path``.

    A file that is there already is replaced only with ``force``.
    """

    root: RootName
    path: PathText
    force: bool = False


class ExportResult(Message, frozen=True, omit_defaults=False):
    """What was written."""

    root: str
    path: str
    bytes: int
    documents: int
    passages: int
    embedded: int


class ImportParams(Message, frozen=True):
    """``import``: register the absolute folder ``folder`` with the index in the file at ``path``.

    The root is called ``name``, or as it was where it was exported. Files whose content is not that of the
    exported ones are indexed as ever.
    """

    path: PathText
    folder: PathText
    name: RootName = ""


class ImportResult(Message, frozen=True, omit_defaults=False):
    """The new root."""

    root: RootInfo
