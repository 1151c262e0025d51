"""The list of registered roots.

What the user asked for, so it lies with the user's data and not with the cache.

Format (``roots.json``, UTF-8): ``{"format": 1, "roots": [{"name", "path", ...}, ...]}``. An entry may also
have ``chunk_mode``, ``exclude``, ``include`` and ``watch``; each has a default. Paths are absolute.

Invariants: replaced atomically and synced before a change is acknowledged; a file that cannot be read is
moved aside whole and never overwritten, and the daemon starts with no roots and says so; a file of a newer
format is refused and left alone. Called by ``engine.roots`` only, one call at a time.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mdmemd.errors import OperatorError
from mdmemd.model import ChunkMode, RootSpec, WatchChoice
from mdmemd.ports import BlobStore, Clock

log = logging.getLogger(__name__)

FORMAT = 1
NAME = "roots.json"


@dataclass(frozen=True, slots=True)
class LoadedRoots:
    """What a start found; ``message`` is for the user where the file could not be read."""

    roots: tuple[RootSpec, ...]
    message: str | None = None


class RootsFile:
    """Loads and replaces the list."""

    def __init__(self, blobs: BlobStore, clock: Clock) -> None:
        self._blobs = blobs
        self._clock = clock

    def load(self) -> LoadedRoots:
        """The saved list; none where there is no file.

        Raises ``OperatorError`` for a newer format or an unreadable folder.
        """
        try:
            content = self._blobs.read(NAME)
        except FileNotFoundError:
            return LoadedRoots(())
        except OSError as error:
            raise OperatorError(
                f"The list of roots {NAME} cannot be read: {error.strerror}.",
                remedy="Repair its permissions and start again.",
            ) from error
        try:
            return LoadedRoots(_decode(content))
        except (ValueError, KeyError, TypeError) as error:
            aside = f"{NAME}.unreadable-{int(self._clock.time())}"
            self._blobs.rename(NAME, aside)
            log.warning("list of roots is unreadable (%s), kept as %s", error, aside)
            return LoadedRoots(
                (),
                f"The list of roots could not be read ({error}); it is kept as {aside} in the data folder. "
                "Register your folders again with `mdmemctl root add`.",
            )

    def save(self, roots: Sequence[RootSpec]) -> None:
        """Replace the list; durable when it returns.

        Raises ``OperatorError`` and keeps the old list where it cannot.
        """
        document = {
            "format": FORMAT,
            "roots": [
                {
                    "name": root.name,
                    "path": root.path,
                    "chunk_mode": root.chunk_mode.value,
                    "exclude": list(root.exclude),
                    "include": list(root.include),
                    "watch": root.watch.value,
                }
                for root in roots
            ],
        }
        try:
            self._blobs.replace(NAME, json.dumps(document, indent=1).encode() + b"\n")
        except OSError as error:
            raise OperatorError(
                f"The list of roots cannot be saved: {error.strerror}.",
                remedy="Free some disk space or repair its folder; nothing was changed.",
            ) from error


def _decode(content: bytes) -> tuple[RootSpec, ...]:
    document: Any = json.loads(content)
    if not isinstance(document, dict) or not isinstance(document.get("format"), int):
        raise ValueError("not a list of roots")
    if document["format"] > FORMAT:
        raise OperatorError(
            f"The list of roots {NAME} was written by a newer mdmem "
            f"(format {document['format']}; this one reads {FORMAT}).",
            remedy="Install the newer mdmem again, or move the file away.",
        )
    return tuple(
        RootSpec(
            name=_text(entry["name"]),
            path=_text(entry["path"]),
            chunk_mode=ChunkMode(entry.get("chunk_mode", "auto")),
            exclude=tuple(_text(glob) for glob in entry.get("exclude", [])),
            include=tuple(_text(glob) for glob in entry.get("include", [])),
            watch=WatchChoice(entry.get("watch", "auto")),
        )
        for entry in document["roots"]
    )


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("a name or path is no text")
    return value
