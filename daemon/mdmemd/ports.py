"""The outside world as Protocols: what the daemon needs from files, storage, the clock and the model.

Each port has one real implementation in ``adapters`` or ``embed`` and one fake in ``tests/mdmem_testkit``;
one contract suite (``tests/contract``) runs over both. Errors are ``OSError`` with a true ``errno`` where a
file is at fault, so that callers can tell "gone" from "not allowed".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from mdmemd.model import ChunkMode, Fingerprint, FloatMatrix, FloatVector, ParsedFile


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


class BlobStore(Protocol):
    """A private folder of the daemon, where a write is seen whole or not at all, also after a power cut."""

    def read(self, name: str) -> bytes:
        """The content; ``FileNotFoundError`` where there is none."""

    def replace(self, name: str, content: bytes) -> None:
        """Write to a temporary name, sync, rename, sync the folder. Durable when it returns."""

    def rename(self, old: str, new: str) -> None:
        """Move a blob to another name, replacing what was there; durable when it returns."""


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
        """How many passages so far were longer than the model's limit and were cut. Any thread."""

    @property
    def message(self) -> str | None:
        """What the user should know about how the model runs; ``None`` if all is well."""

    def encode_passages(self, texts: Sequence[str]) -> FloatMatrix:
        """Unit-length vectors, shape ``(len(texts), dimensions)``, in the order given.

        Raises where any of the texts has no vector; which one, a caller finds out by asking for each alone.
        """

    def encode_query(self, text: str) -> FloatVector:
        """Unit-length vector of a question, shape ``(dimensions,)``."""
