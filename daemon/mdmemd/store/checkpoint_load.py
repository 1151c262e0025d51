"""Loading one root's index from its saved generations, piece by piece.

What counts is tried first, then the other manifests, newest first. A generation whose manifest or changes are
unreadable is passed over. In the one that is used, a segment that is not as it was written costs the
documents in it, and unreadable vectors cost those of their piece: the look that follows finds such documents
missing or incomplete and reads them again. Nothing is written here. Any thread; may meet a commit in
progress, which costs pieces that it has just removed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mdmemd.index.arrays import Int32Array
from mdmemd.index.deletions import Deletions
from mdmemd.index.image import RootImage, SavedVectors
from mdmemd.index.snapshot import SegmentView
from mdmemd.index.vector_rows import HalfMatrix, RowsOrigin
from mdmemd.ports import CheckpointDisk
from mdmemd.store import layout
from mdmemd.store.changes_codec import SegmentChanges, decode_changes
from mdmemd.store.checkpoint import current_name, read_manifest
from mdmemd.store.manifest import Making, Manifest, PieceEntry, Use, decide
from mdmemd.store.piece import NewerFormatError, PieceError, PieceKind, checksum_of, unseal
from mdmemd.store.segment_codec import decode_segment
from mdmemd.store.vectors_codec import decode_vectors

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LoadedCheckpoint:
    """What was found.

    Attributes:
        image: the index, ``None`` where there is none that could be used.
        vectors_by: fingerprint of the encoder that gave its vectors.
        problems: what could not be used and why, each a clause without a full stop.
    """

    image: RootImage | None
    vectors_by: str = ""
    problems: tuple[str, ...] = ()


def load(disk: CheckpointDisk, *, wanted: Making) -> LoadedCheckpoint:
    """The saved index of ``wanted.root``, as far as it can be used; never raises for what lies on disk."""
    return _Loader(disk, wanted).load()


class _Loader:
    """One load."""

    def __init__(self, disk: CheckpointDisk, wanted: Making) -> None:
        self._disk = disk
        self._wanted = wanted
        self._folder = layout.root_folder(wanted.root)
        self._problems: list[str] = []

    def load(self) -> LoadedCheckpoint:
        for name in self._candidates():
            try:
                manifest = read_manifest(self._disk, name, root=self._wanted.root)
            except NewerFormatError as error:
                self._note(name, f"a newer mdmem wrote it ({error}), it is kept and nothing is saved over it")
                break
            except (PieceError, OSError) as error:
                self._note(name, error)
                continue
            decision = decide(manifest.making, self._wanted)
            if decision.reason:
                self._note(name, decision.reason)
            if decision.use is Use.NOTHING:
                break
            changes = self._changes(manifest)
            if changes is not None:
                return self._image(manifest, changes, use_vectors=decision.use is Use.ALL)
        return LoadedCheckpoint(None, problems=tuple(self._problems))

    def _candidates(self) -> Iterator[str]:
        """Names of manifests: the one that counts, then the others."""
        try:
            manifests = [name for name in self._disk.names(self._folder) if layout.is_manifest(name)]
        except OSError as error:
            self._note("folder", error)
            return
        manifests.sort(key=lambda name: layout.generation_of(name) or 0, reverse=True)
        current = ""
        try:
            current = current_name(self._disk, root=self._wanted.root)
        except (OSError, PieceError) as error:
            if manifests or not isinstance(error, FileNotFoundError):
                self._note(layout.CURRENT, error)
        else:
            yield current  # if it is not there, that is told
        yield from (name for name in manifests if name != current)

    def _changes(self, manifest: Manifest) -> dict[bytes, SegmentChanges] | None:
        try:
            return decode_changes(self._body(PieceKind.CHANGES, manifest.changes))
        except (PieceError, OSError, ValueError, NewerFormatError) as error:
            self._note(manifest.changes.name, error)
            return None

    def _image(
        self, manifest: Manifest, changes: dict[bytes, SegmentChanges], *, use_vectors: bool
    ) -> LoadedCheckpoint:
        segments = [self._segment(entry, changes) for entry in manifest.segments]
        image = RootImage(
            segments=tuple(view for view in segments if view is not None),
            vectors=self._vectors(manifest) if use_vectors else SavedVectors.none(),
        )
        return LoadedCheckpoint(image, manifest.vectors_by if use_vectors else "", tuple(self._problems))

    def _segment(self, entry: PieceEntry, changes: dict[bytes, SegmentChanges]) -> SegmentView | None:
        try:
            segment = decode_segment(self._body(PieceKind.SEGMENT, entry))
            change = changes[segment.identity]
            deletions = Deletions()
            for document in change.deleted.tolist():
                deletions.add(document, segment.sections_of(document))
        except (PieceError, OSError, NewerFormatError, ValueError, KeyError, IndexError, TypeError) as error:
            self._note(entry.name, error)
            return None
        return SegmentView(segment, deletions.frozen(), change.fingerprints)

    def _vectors(self, manifest: Manifest) -> SavedVectors:
        keys: list[Int32Array] = []
        rows: list[HalfMatrix] = []
        for entry in manifest.vectors:
            try:
                body = self._body(PieceKind.VECTORS, entry)
                found = decode_vectors(body, dimensions=self._wanted.dimensions)
            except (PieceError, OSError, NewerFormatError) as error:
                self._note(entry.name, error)
                continue
            keys.append(found[0])
            rows.append(found[1])
        is_whole = len(rows) == len(manifest.vectors)
        origin = RowsOrigin(bytes.fromhex(manifest.matrix), manifest.generation) if is_whole else None
        return SavedVectors(np.concatenate([np.zeros(0, np.int32), *keys]), tuple(rows), origin)

    def _body(self, kind: PieceKind, entry: PieceEntry) -> memoryview:
        content = self._disk.read(self._folder, entry.name)
        if len(content) != entry.size_bytes or checksum_of(content).hex() != entry.checksum:
            raise PieceError("it is not the piece that the manifest names")
        return unseal(kind, content, root=layout.root_key(self._wanted.root))

    def _note(self, name: str, problem: object) -> None:
        log.warning("saved index of %s: %s: %s", self._wanted.root, name, problem)
        self._problems.append(f"{name}: {problem}")
