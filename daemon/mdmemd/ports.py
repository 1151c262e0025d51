"""The outside world as Protocols: what the daemon needs from files, storage, the clock and the model.

Each port has one real implementation in ``adapters`` or ``embed`` and one fake in ``tests/mdmem_testkit``;
one contract suite (``tests/contract``) runs over both. Errors are ``OSError`` with a true ``errno`` where a
file is at fault, so that callers can tell "gone" from "not allowed".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Protocol

from mdmemd.model import ChunkMode, Fingerprint, FloatMatrix, FloatVector, ParsedFile

ReadableBuffer = bytes | memoryview
"""Bytes, or a view of bytes."""


class EntryKind(Enum):
    """What a directory entry is, without following links."""

    FILE = auto()
    DIRECTORY = auto()
    SYMLINK = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """One name in a directory."""

    name: str
    kind: EntryKind


class FileSystem(Protocol):
    """Read access to the user's files.

    Paths are absolute ``str`` in the file-system encoding (surrogateescape).
    """

    def list_directory(self, path: str) -> list[DirectoryEntry]:
        """All entries in unspecified order; ``OSError`` where the directory cannot be listed."""

    def fingerprint(self, path: str) -> Fingerprint:
        """``stat`` of a regular file, links followed.

        ``OSError`` where it is gone or not a regular file (EINVAL).
        """

    def read(self, path: str, *, bytes_max: int) -> tuple[bytes, Fingerprint]:
        """Whole content and the fingerprint taken from the same open file.

        Never blocks on a FIFO or device. Raises ``OSError``: EFBIG above ``bytes_max``, EINVAL where it is no
        regular file.
        """

    def real_path(self, path: str) -> str:
        """The path with all links resolved; ``OSError`` where it does not exist."""

    def is_directory(self, path: str) -> bool:
        """Whether it is a directory, links followed; false where it is gone."""

    def entry_kind(self, path: str) -> EntryKind:
        """What is at the path, its own link not followed; ``OSError`` where there is nothing."""

    def folder_identity(self, path: str) -> tuple[int, int]:
        """Device and inode of a folder, links followed: equal for two spellings of one folder.

        ``OSError`` where there is no folder (ENOTDIR).
        """


class Repositories(Protocol):
    """What only git itself knows. Any thread; a call may start a process, so callers keep the answers."""

    def tracked(self, top: str, *, suffixes: Sequence[str]) -> frozenset[str]:
        """The files that git tracks in the work tree at the absolute path ``top``, relative to it.

        Only those with one of these endings, in any case. Nothing that the repository configures is run.
        Raises ``OSError`` whose ``strerror`` says in words why git cannot tell.
        """

    def user_ignore_file(self) -> str | None:
        """The absolute path of the user's ``core.excludesFile``, or where git looks for one by default.

        ``None`` where there is no git.
        """


class WatchMode(StrEnum):
    """How changes below a root are noticed."""

    EVENTS = "events"
    POLLING = "polling"


@dataclass(frozen=True, slots=True)
class Hint:
    """Something at a root-relative path may have changed; what, only a look at the disk can tell.

    ``is_tree`` means everything at and below ``path`` (the empty path: the root itself), and is what is said
    whenever events may have been lost.
    """

    path: str
    is_tree: bool


@dataclass(frozen=True, slots=True)
class WatchStatus:
    """How a root is watched: ``reason`` tells the user why not by events, ``watches`` is what it costs."""

    mode: WatchMode
    reason: str | None
    watches: int


class RootWatch(Protocol):
    """The watch of one root. Any thread but that of the hints.

    No call raises: a limit that is met in ``add`` turns into polling, until the root is opened again.
    """

    def add(self, folder: str) -> None:
        """Watch the root-relative ``folder`` (empty: the root) itself, without what lies in its folders.

        Called before the folder is listed, so that nothing is missed between; again for a folder that is
        watched does nothing, and for one that was replaced by another watches the new one.
        """

    def keep(self, folders: Collection[str]) -> None:
        """End the watches of all other folders."""

    def status(self) -> WatchStatus:
        """How it is watched now. With ``POLLING`` there are no hints: a caller must look by itself."""

    def close(self) -> None:
        """End all its watches; no hint comes after it."""


class Watcher(Protocol):
    """Tells that files of the user may have changed. One for all roots."""

    def open(
        self, folder: str, notify: Callable[[Hint], None], *, mode: WatchMode | None = None
    ) -> RootWatch:
        """Begin with the root at the absolute path ``folder``; nothing is watched before ``add``.

        ``notify`` is called on the watcher's thread and must only enqueue. Without ``mode`` the kind of file
        system decides.
        """

    def catch_up(self, *, timeout_seconds: float) -> bool:
        """Wait until every hint of a change that was finished before this call has been given.

        Whether that was reached in time. Any thread, several at once.
        """

    def close(self) -> None:
        """End all watches and the thread."""


class BlobStore(Protocol):
    """A private folder of the daemon, where a write is seen whole or not at all, also after a power cut."""

    def read(self, name: str) -> bytes:
        """The content; ``FileNotFoundError`` where there is none."""

    def replace(self, name: str, content: bytes) -> None:
        """Write to a temporary name, sync, rename, sync the folder. Durable when it returns."""

    def rename(self, old: str, new: str) -> None:
        """Move a blob to another name, replacing what was there; durable when it returns."""

    def remove_leftovers(self) -> tuple[int, int]:
        """Remove what interrupted writes of earlier processes left; how many files, of how many bytes."""


class ArchiveSource(Protocol):
    """An open file to read."""

    size_bytes: int

    def read(self, count: int) -> bytes:
        """The next bytes, fewer only at the end of the file."""


class ArchiveFiles(Protocol):
    """Single files that a user names by absolute path, outside the daemon's own folders."""

    def open(self, path: str) -> AbstractContextManager[ArchiveSource]:
        """A file to read. Raises ``OSError`` on entering: EINVAL where it is no plain file."""

    def write(self, path: str, parts: Iterable[ReadableBuffer], *, replace: bool) -> int:
        """Make a file of these parts; it is there whole and durable when this returns its size.

        Raises ``OSError``, and what was there is unchanged: ``FileExistsError`` without ``replace``.
        """


class CheckpointDisk(Protocol):
    """The daemon's folders of saved indexes: files in folders, with the steps that survive a power cut.

    A file is seen under its name whole or not at all. That a name is there, gone or another file now, is
    certain to survive only after ``sync_folder``; until then each such change by itself may be lost. Names
    hold no ``/``. One writer at a time.
    """

    def folders(self) -> list[str]:
        """Names of all folders, sorted."""

    def names(self, folder: str) -> list[str]:
        """Names of all files in a folder, sorted, what interrupted writes left included."""

    def read(self, folder: str, name: str) -> bytes:
        """The content; ``FileNotFoundError`` where there is none."""

    def size(self, folder: str, name: str) -> int:
        """Bytes of a file; 0 where there is none."""

    def write(self, folder: str, name: str, parts: Iterable[ReadableBuffer]) -> None:
        """Make or replace a file of these parts; the content is on disk when it returns, the name may not be.

        Makes the folder. Raises ``OSError`` and leaves the old file where that fails.
        """

    def sync_folder(self, folder: str) -> None:
        """Make durable which names there are."""

    def remove(self, folder: str, name: str) -> None:
        """Remove a file, if it is there."""

    def remove_folder(self, folder: str) -> None:
        """Remove a folder with all its files, if it is there."""


class Clock(Protocol):
    """Time."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back."""

    def time(self) -> float:
        """Unix seconds."""


class Parser(Protocol):
    """Parses files that may be large or hostile without holding up anybody else. One caller at a time."""

    def parse(self, data: bytes, *, path: str, chunk_mode: ChunkMode) -> ParsedFile:
        """The document, with its terms; ``path`` is relative to its root.

        Ends within a time that grows with the size of the file. One that costs too much time or memory comes
        as plain line windows, or as its name alone, with the problem ``too_slow``, ``too_much_memory`` or
        ``crashed``.
        Raises ``OSError`` where the parser itself cannot run (ECANCELED: it was closed).
        """

    def close(self) -> None:
        """End whatever parses, also in the middle of a file, and parse no more.

        Any thread; closing again does nothing.
        """


class FetchInterruptedError(Exception):
    """A transfer could not begin or ended early: asking again may help. The message is a clause."""


class FetchRefusedError(Exception):
    """A server's answer that asking again does not change. The message is a clause, ``remedy`` a sentence."""

    def __init__(self, message: str, *, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Fetched:
    """A transfer that has begun.

    Attributes:
        start: offset of the first byte that comes: the one asked for, or 0 from a server that cannot resume.
        size_bytes: of the whole file as the server tells it, ``None`` where it does not.
        chunks: the bytes from there on, in pieces of bounded size; raises ``FetchInterruptedError``.
    """

    start: int
    size_bytes: int | None
    chunks: Iterator[bytes]


class Fetcher(Protocol):
    """Files from the network. Any thread."""

    def fetch(self, url: str, *, offset: int) -> AbstractContextManager[Fetched]:
        """Ask for a file from ``offset`` on.

        Raises ``FetchInterruptedError`` and ``FetchRefusedError`` when it is entered. A server that goes
        silent interrupts; how long that may take is the fetcher's.
        """


class Encoder(Protocol):
    """A loaded embedding model.

    ``encode_passages`` is called by the embedder thread only, ``encode_query`` by any, at the same time.
    """

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text could give another vector.

        Weights, graph, tokenizer, pooling, prompts, limits.
        """

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    @property
    def texts_cut(self) -> int:
        """How many passages so far were so long that their ends do not count. Any thread."""

    @property
    def message(self) -> str | None:
        """What the user should know about how the model runs; ``None`` if all is well."""

    def encode_passages(self, texts: Sequence[str]) -> FloatMatrix:
        """Unit-length vectors, shape ``(len(texts), dimensions)``, in the order given.

        Raises where any of the texts has no vector; which one, a caller finds out by asking for each alone.
        """

    def encode_query(self, text: str) -> FloatVector:
        """Unit-length vector of a question, shape ``(dimensions,)``."""


class Reranker(Protocol):
    """A model that reads a question and a text together. Any thread, several at once."""

    def scores(self, question: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        """How well each text answers, between 0 and 1.

        Of as many of the first texts as can be read in ``seconds``, so the list may be shorter than
        ``texts``. Raises ``ModelUnavailableError``.
        """
