"""What the documents of a segment can be filtered by, as columns: a filter costs no look at each document.

Invariants: documents are numbered as in the segment; texts are NFC; tags and properties are those of
``text.filter_attributes``. Nothing here changes once built. Built and merged by the writer, read by any
thread. Whether a link's target exists is not known here (``search.filtering`` asks).
"""

from __future__ import annotations

import datetime as dt
import posixpath
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mdmemd.index.arrays import BoolArray, ByteArray, Int32Array, IntArray
from mdmemd.index.text_map import TextMap, beginning_with
from mdmemd.model import DocumentKind, Fingerprint, IndexedFile, Link
from mdmemd.text.filter_attributes import FilterAttributes, document_kind, filter_attributes

KINDS = tuple(DocumentKind)
"""A document's kind is stored as its position here."""

NO_DAY = 0
"""In place of the day of a document that gives itself no date."""

_KEY_END = "\0"


def property_text(key: str, value: str) -> str:
    """How a property stands in the map; with an empty value, how all of its values begin."""
    return f"{key}{_KEY_END}{value}"


def property_key(text: str) -> str:
    """The key of a property as it stands in the map."""
    return text.partition(_KEY_END)[0]


@dataclass(frozen=True, slots=True)
class Attributes:
    """Parallel columns over d documents, and maps to their numbers.

    Attributes:
        paths: NFC, ascending by code point, d.
        by_path: number of the document of each path, d.
        days: the date that each document gives itself, ``date.toordinal()``, ``NO_DAY`` for none, d.
        modified_ns: when each file was last written as far as known at building, d.
        kinds: positions in ``KINDS``, d.
        tags: each tag.
        properties: ``property_text`` of each property.
        links: root-relative path of each link out of the document.
        notes: ``note_key`` of each link that may name a note anywhere in the root.
        names: ``note_key`` of each document's own file name.
    """

    paths: tuple[str, ...]
    by_path: Int32Array
    days: Int32Array
    modified_ns: IntArray
    kinds: ByteArray
    tags: TextMap
    properties: TextMap
    links: TextMap
    notes: TextMap
    names: TextMap

    @classmethod
    def of(cls, files: Sequence[IndexedFile]) -> Attributes:
        """The attributes of documents with the numbers 0, 1, ..."""
        documents = [file.document for file in files]
        found = [filter_attributes(each.tags, each.properties) for each in documents]
        paths, by_path = _sorted_paths([composed(file.path) for file in files])
        kinds = [KINDS.index(document_kind(each.properties)) for each in documents]
        return cls(
            paths=paths,
            by_path=by_path,
            days=np.array([_day(each.date) for each in documents], np.int32),
            modified_ns=np.array([file.fingerprint.mtime_ns for file in files], np.int64),
            kinds=np.array(kinds, np.uint8),
            tags=TextMap.of([each.tags for each in found]),
            properties=TextMap.of([_property_texts(each) for each in found]),
            links=TextMap.of([linked_paths(file) for file in files]),
            notes=TextMap.of([linked_notes(file) for file in files]),
            names=TextMap.of([[note_key(posixpath.basename(file.path))] for file in files]),
        )

    @classmethod
    def merged(cls, parts: Sequence[tuple[Attributes, BoolArray, Mapping[int, Fingerprint]]]) -> Attributes:
        """The attributes of the documents that live in several, in order, with their newer fingerprints."""
        renumbered: list[IntArray] = []
        first = 0
        for _, live, _ in parts:
            renumbered.append(np.where(live, first + np.cumsum(live) - 1, -1))
            first += int(np.count_nonzero(live))
        numbers = [new[part.by_path] for (part, _, _), new in zip(parts, renumbered, strict=True)]
        paths, order = _sorted_paths(
            [
                path
                for (part, _, _), number in zip(parts, numbers, strict=True)
                for path, new in zip(part.paths, number.tolist(), strict=True)
                if new >= 0
            ]
        )
        number = np.concatenate(numbers)

        def merged(maps: Sequence[TextMap]) -> TextMap:
            return TextMap.merged(list(zip(maps, renumbered, strict=True)))

        return cls(
            paths=paths,
            by_path=number[number >= 0][order].astype(np.int32),
            days=np.concatenate([part.days[live] for part, live, _ in parts]),
            modified_ns=np.concatenate([part.modified_now(newer)[live] for part, live, newer in parts]),
            kinds=np.concatenate([part.kinds[live] for part, live, _ in parts]),
            tags=merged([part.tags for part, _, _ in parts]),
            properties=merged([part.properties for part, _, _ in parts]),
            links=merged([part.links for part, _, _ in parts]),
            notes=merged([part.notes for part, _, _ in parts]),
            names=merged([part.names for part, _, _ in parts]),
        )

    def modified_now(self, newer: Mapping[int, Fingerprint]) -> IntArray:
        """``modified_ns`` with the newer fingerprints of some documents, by number."""
        if not newer:
            return self.modified_ns
        modified = self.modified_ns.copy()
        for number, fingerprint in newer.items():
            modified[number] = fingerprint.mtime_ns
        return modified

    def at(self, path: str) -> Int32Array:
        """The documents with this path: one, none, or several that only Unicode tells apart."""
        return self._documents(range(bisect_left(self.paths, path), bisect_right(self.paths, path)))

    def at_or_below(self, path: str) -> Int32Array:
        """The documents with this path or in this folder; all of them for the empty path."""
        if not path:
            return self.by_path
        return np.concatenate([self.at(path), self.below(path)])

    def below(self, folder: str) -> Int32Array:
        """The documents in this folder, however deep."""
        return self._documents(beginning_with(self.paths, f"{folder}/"))

    def _documents(self, places: range) -> Int32Array:
        return self.by_path[places.start : places.stop]


def composed(path: str) -> str:
    """The form in which paths are compared: Unicode NFC."""
    return unicodedata.normalize("NFC", path)


def note_key(path: str) -> str:
    """The form in which notes are compared, as Obsidian does: case does not count."""
    return composed(composed(path).casefold())


def linked_paths(file: IndexedFile) -> list[str]:
    """The paths that the links of a document point to, but for those within it."""
    return [composed(path) for link in file.document.links if (path := link.path) and path != file.path]


def linked_notes(file: IndexedFile) -> list[str]:
    """Keys of the notes that its links may name wherever they lie in the root, such as ``[[Note]]``.

    A link that is no wikilink is among them only where its target reads the same from the root on.
    """
    links = [link for link in file.document.links if link.path != file.path]
    return [note_key(link.path) for link in links if link.path and is_note_link(link)]


def is_note_link(link: Link) -> bool:
    """Whether the target names the path as a wikilink does: from the root on, perhaps without ``.md``."""
    if link.target.startswith("/"):
        return False
    name = link.target.partition("|")[0].partition("#")[0].strip()
    path = posixpath.normpath(f"/{name}").lstrip("/")
    return link.path is not None and link.path in (path, f"{path}.md")


def _sorted_paths(paths: Sequence[str]) -> tuple[tuple[str, ...], Int32Array]:
    order = sorted(range(len(paths)), key=paths.__getitem__)
    return tuple(paths[place] for place in order), np.array(order, np.int32)


def _day(date: str | None) -> int:
    try:
        return dt.date.fromisoformat(date).toordinal() if date else NO_DAY
    except ValueError:
        return NO_DAY


def _property_texts(found: FilterAttributes) -> list[str]:
    return [property_text(key, value) for key, value in found.properties]
