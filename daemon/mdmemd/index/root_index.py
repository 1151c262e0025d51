"""The mutable index of one root.

Each ``apply`` makes one new immutable segment of the files given, marks the old versions as deleted in
theirs, and then merges at most once and rewrites at most one worn segment, so that its cost is bounded
(``merge``). ``freeze`` shares the segments with the snapshot and copies only the deletions and touched
fingerprints of those segments that changed since the last one. The writer thread alone uses this; what it
gives out is frozen. Nothing here knows the disk or a clock.

After a restart (``restored``) or a change of model (``drop_vectors``) there may be passages with neither text
nor vector. The documents that hold them are found by their words as before, but ``known`` tells a fingerprint
of them that no file has, so that the next look reads them again and their texts come back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from mdmemd.index.builder import build_segment
from mdmemd.index.image import RootImage
from mdmemd.index.live_segment import LiveSegment
from mdmemd.index.merge import is_worn, merge_count, merge_segments
from mdmemd.index.passage_keys import PassageKeys
from mdmemd.index.segment import new_identity
from mdmemd.index.snapshot import Revision, RootSnapshot
from mdmemd.index.term_columns import Tokenizer
from mdmemd.index.vector_rows import unit_rows
from mdmemd.index.vectors import VectorStore
from mdmemd.model import Fingerprint, FloatMatrix, IndexedFile, UnembeddedPassage, VectorKey
from mdmemd.text.content_id import CONTENT_ID_BYTES
from mdmemd.text.tokens import terms

NO_FILE = (Fingerprint(size=-1, mtime_ns=0, ctime_ns=0, inode=0, device=0), b"")
"""Fingerprint and content hash that no file has."""


class RootIndex:
    """Documents, words and vectors of one root."""

    def __init__(self, *, dimensions: int, tokenize: Tokenizer = terms) -> None:
        self._dimensions = dimensions
        self._tokenize = tokenize
        # by live sections, descending; always this list, since what ``known`` gave looks into it
        self._segments: list[LiveSegment] = []
        self._keys = PassageKeys()
        self._vectors = VectorStore(dimensions=dimensions)
        self._documents = 0
        self._sections = 0
        self._passages = 0
        self._embedded = 0
        self._total_lengths = np.zeros(3, np.int64)
        self._incomplete: set[str] = set()
        self._unwanted: list[int] = []
        self._identity = new_identity()
        self._changes = 0

    @classmethod
    def restored(
        cls, image: RootImage, *, dimensions: int, is_saved: bool = True, tokenize: Tokenizer = terms
    ) -> RootIndex:
        """The index that an image was taken of; ``is_saved``: there is nothing to save before it changes."""
        index = cls(dimensions=dimensions, tokenize=tokenize)
        index._changes = 0 if is_saved else 1
        index._segments[:] = [
            LiveSegment.restored(view) for view in image.segments if view.live_documents.any()
        ]
        index._segments.sort(key=lambda live: live.sections, reverse=True)
        for live in index._segments:
            index._documents += live.documents
            index._sections += live.sections
            index._total_lengths += live.live_lengths()
        index._restore_keys(image)
        return index

    def _restore_keys(self, image: RootImage) -> None:
        vectors = image.vectors
        columns = [live.live_passages() for live in self._segments]
        keys = np.concatenate([np.zeros(0, np.int32), *(each for each, _ in columns)])
        content_ids = np.concatenate(
            [np.zeros((0, CONTENT_ID_BYTES), np.uint8), *(each for _, each in columns)]
        )
        every = [vectors.keys, *(live.segment.passages.keys for live in self._segments)]
        has_vector = np.zeros(1 + max(int(each.max(initial=-1)) for each in every), np.bool_)
        has_vector[vectors.keys] = True
        self._keys = PassageKeys.restored(keys, content_ids=content_ids, has_vector=has_vector)
        self._passages = len(keys)
        self._embedded = int(np.count_nonzero(has_vector[keys]))
        self._vectors = VectorStore(dimensions=self._dimensions, origin=vectors.origin)
        first = 0
        for rows in vectors.rows:
            self._vectors.add(vectors.keys[first : first + len(rows)], rows)
            first += len(rows)
        is_held = np.zeros(len(has_vector), np.bool_)
        is_held[keys] = True
        for key in vectors.keys[~is_held[vectors.keys]].tolist():
            self._vectors.discard(key)
        self._find_incomplete()

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._dimensions

    def drop_vectors(self, *, dimensions: int) -> None:
        """Forget all vectors, as when the model is another now, whose vectors have this length.

        Their texts come back with the next look; those that waited for a vector go on waiting.
        """
        self._changes += 1
        self._dimensions = dimensions
        self._vectors = VectorStore(dimensions=self._dimensions)
        self._keys.lose_vectors()
        self._embedded = 0
        self._find_incomplete()

    def apply(
        self, *, files: Sequence[IndexedFile], removed: Collection[str]
    ) -> tuple[UnembeddedPassage, ...]:
        """Add or replace documents by path and drop those ``removed``.

        A path in both is replaced; an unknown one in ``removed`` is ignored.

        Returns the distinct embedded texts without a vector that were not handed out before, by ascending
        key.
        """
        self._changes += 1
        newest = {file.path: file for file in files}
        first_new = self._keys.next_key
        replaced = [path for path in {*newest, *removed} if self._find(path) is not None]
        ordered = [newest[path] for path in sorted(newest)]
        # before the old versions go, so that passages which stay keep their keys and vectors
        segment = build_segment(ordered, tokenize=self._tokenize, key_of=self._acquire)
        for path in replaced:
            self._drop(path)
        self._incomplete.difference_update(replaced)
        self._documents += len(segment.documents)
        self._sections += segment.section_count
        self._total_lengths += segment.sections.lengths.sum(axis=1)
        self._segments.append(LiveSegment(segment))  # an empty one is dropped again at once
        self._compact()
        return _unembedded(self._keys.waiting(since=first_new))

    def touch(self, path: str, fingerprint: Fingerprint) -> None:
        """The file's content is the same but its fingerprint is new; an unknown path is ignored."""
        found = self._find(path)
        if found is not None:
            live, document = found
            live.touch(document, fingerprint)
            self._changes += 1

    def add_vectors(self, keys: Sequence[VectorKey], vectors: FloatMatrix) -> None:
        """Give texts their vectors; keys whose passages are gone, and keys that have one, are skipped.

        Raises:
            ValueError: another shape than ``(len(keys), dimensions)``, or a row that holds NaN or an infinity
                or is zero; nothing is added then.
        """
        rows = unit_rows(vectors, dimensions=self._dimensions) if len(keys) else np.zeros((0, 1), np.float16)
        if len(rows) != len(keys):
            raise ValueError(f"{len(keys)} keys came with {len(rows)} vectors")
        chosen: dict[VectorKey, int] = {}
        for position, key in enumerate(keys):
            if self._keys.is_waiting(key):
                chosen.setdefault(key, position)
        if chosen:
            self._changes += 1
            self._vectors.add(np.fromiter(chosen, np.int32), rows[list(chosen.values())])
        for key in chosen:
            self._keys.embedded(key)
            self._embedded += self._keys.passages(key)

    @property
    def is_tidy(self) -> bool:
        """Whether ``tidy`` has nothing to do."""
        return self._vectors.is_tidy

    def tidy(self, *, rows: int) -> bool:
        """A short piece of upkeep, for idle time: answers stay the same and become quicker.

        Puts up to ``rows`` vectors into graphs, and gives the room of removed ones back when many are; no
        change of the index does that, so that none has to wait for it. Returns whether there is more to do.
        """
        gone = self._vectors.tidy(rows=rows)
        for key in gone:
            self._keys.forget(key)
        if gone:
            self._keys.shrink()
        return not self.is_tidy

    @property
    def revision(self) -> Revision:
        """That of ``freeze`` now."""
        return self._identity, self._changes

    def is_waiting(self, key: VectorKey) -> bool:
        """Whether the text of a key is in the index and has no vector."""
        return self._keys.is_waiting(key)

    def take_unwanted(self) -> list[int]:
        """Keys whose texts left the index before they had a vector, since the last call."""
        unwanted, self._unwanted = self._unwanted, []
        return unwanted

    def unembedded(self) -> tuple[UnembeddedPassage, ...]:
        """All distinct embedded texts without a vector, handed out before or not."""
        return _unembedded(self._keys.waiting())

    def known(self) -> Mapping[str, tuple[Fingerprint, bytes]]:
        """Fingerprint and content hash of each document by path: a view that follows the index.

        ``NO_FILE`` for those whose texts are needed again.
        """
        return _KnownDocuments(self._segments, self._incomplete)

    def freeze(self) -> RootSnapshot:
        """The root as it is now."""
        title, path, body = self._total_lengths.tolist()
        return RootSnapshot(
            documents=self._documents,
            sections=self._sections,
            passages=self._passages,
            embedded=self._embedded,
            total_lengths=(title, path, body),
            segments=tuple(live.view() for live in self._segments),
            vectors=self._vectors.view(),
            revision=self.revision,
        )

    def _find(self, path: str) -> tuple[LiveSegment, int] | None:
        for live in self._segments:
            document = live.find(path)
            if document is not None:
                return live, document
        return None

    def _acquire(self, text: str) -> int:
        key = self._keys.acquire(text)
        self._passages += 1
        if not self._keys.is_waiting(key):
            self._embedded += 1
            if self._keys.passages(key) == 1:
                self._vectors.revive(key)
        return key

    def _release(self, key: int) -> None:
        self._passages -= 1
        is_last = self._keys.release(key)
        if not self._keys.lacks_vector(key):
            self._embedded -= 1
            if is_last:
                self._vectors.discard(key)
        elif is_last:
            self._keys.forget(key)
            self._unwanted.append(key)

    def _drop(self, path: str) -> None:
        found = self._find(path)
        assert found is not None
        live, document = found
        sections = live.delete(document)
        self._documents -= 1
        self._sections -= len(sections)
        columns = live.segment.sections
        self._total_lengths -= columns.lengths[:, sections.start : sections.stop].sum(axis=1)
        passages = live.segment.passages_of(sections)
        for key in live.segment.passages.keys[passages.start : passages.stop].tolist():
            self._release(key)

    def _compact(self) -> None:
        """Merge the smallest segments if it is time, and rewrite one worn segment."""
        self._segments[:] = sorted(
            (live for live in self._segments if live.documents), key=lambda live: live.sections, reverse=True
        )
        count = merge_count([live.sections for live in self._segments])
        if count:
            self._rewrite(self._segments[-count:])
        worn = [
            live
            for live in self._segments
            if is_worn(sections=live.segment.section_count, deleted=live.deleted)
        ]
        if worn:
            self._rewrite([max(worn, key=lambda live: live.deleted)])

    def _rewrite(self, old: Sequence[LiveSegment]) -> None:
        """Replace some segments by one of what lives in them."""
        merged = LiveSegment(merge_segments([live.merge_input() for live in old]))
        kept = [live for live in self._segments if live not in old]
        self._segments[:] = sorted([*kept, merged], key=lambda live: live.sections, reverse=True)

    def _find_incomplete(self) -> None:
        lost = self._keys.lost()
        self._incomplete.clear()
        if lost.any():
            self._incomplete.update(path for live in self._segments for path in live.paths_with(lost))


class _KnownDocuments(Mapping[str, tuple[Fingerprint, bytes]]):
    """The documents of an index by path; looks into its segments at each call."""

    def __init__(self, segments: Sequence[LiveSegment], incomplete: Collection[str]) -> None:
        self._segments = segments
        self._incomplete = incomplete

    def __getitem__(self, path: str) -> tuple[Fingerprint, bytes]:
        if path in self._incomplete:
            return NO_FILE
        for live in self._segments:
            document = live.find(path)
            if document is not None:
                return live.fingerprint(document), live.segment.documents.content_hashes[document]
        raise KeyError(path)

    def __iter__(self) -> Iterator[str]:
        for live in self._segments:
            yield from live.paths()

    def __len__(self) -> int:
        return sum(live.documents for live in self._segments)


def _unembedded(waiting: Sequence[tuple[int, str]]) -> tuple[UnembeddedPassage, ...]:
    return tuple(UnembeddedPassage(VectorKey(key), text) for key, text in waiting)
