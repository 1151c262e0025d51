"""Which documents a question may look at, and finding them by the columns of a segment.

Invariants: conditions of different kinds must all hold; a condition that is ``None`` or empty is none, but
for ``only`` and ``places``, whose emptiness lets nothing through. Texts are in the forms of ``attributes``.
Costs O(what is selected + documents of the segment) in numpy; only globs look at each path of their folder.
Answers are remembered per state of a segment (``Selections``). Pure but for that memory; any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from mdmemd.index.arrays import BoolArray, Int32Array, IntArray
from mdmemd.index.attributes import KINDS, NO_DAY, Attributes, property_text
from mdmemd.index.path_globs import compile_glob, literal_folder
from mdmemd.index.text_map import beginning_with
from mdmemd.model import DocumentKind

TOP_LEVEL = "."
"""The group of the documents that lie in no folder."""

REMEMBERED_MAX = 8
"""Selections kept per state of a segment: sessions repeat their filters, a mask takes a byte a section."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time: the day for dates that documents give themselves, nanoseconds for their files."""

    day: int
    ns: int


@dataclass(frozen=True, slots=True)
class Places:
    """Paths that name themselves and all below them, and globs; any of them may fit."""

    paths: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """What a document must be to be searched.

    Attributes:
        groups: it lies in one of these top-level folders; ``TOP_LEVEL``: in none.
        places: where it lies.
        tags: it has all of these, each by itself or as the beginning of a nested one (``a`` of ``a/b``).
        properties: of each of these keys it has one of the values; ``None``: any value.
        since: it is dated then or later; by its own date, else by when its file was written.
        before: it is dated earlier than that.
        kind: what it is.
        links: it links to one of these paths.
        notes: or names one of these notes.
        only: it is one of these paths.
        without: it is none of these.
    """

    groups: tuple[str, ...] = ()
    places: Places | None = None
    tags: tuple[str, ...] = ()
    properties: tuple[tuple[str, tuple[str | None, ...]], ...] = ()
    since: Moment | None = None
    before: Moment | None = None
    kind: DocumentKind | None = None
    links: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()

    def documents(self, attributes: Attributes, *, modified_ns: IntArray) -> BoolArray:
        """Mask of the documents that it lets through, deleted ones included."""
        found = np.ones(len(attributes.days), np.bool_)
        for part in self._parts(attributes):
            found &= _mask(part, len(found))
        for moment, is_since in ((self.since, True), (self.before, False)):
            if moment is not None:
                found &= _is_late(moment, attributes, modified_ns) == is_since
        for path in self.without:
            found[attributes.at(path)] = False
        if self.kind is not None:
            found &= attributes.kinds == KINDS.index(self.kind)
        return found

    def _parts(self, attributes: Attributes) -> Iterable[list[Int32Array]]:
        """For each condition that names documents: lists of those that meet it."""
        if self.groups:
            yield [_in_group(attributes, group) for group in self.groups]
        if self.places is not None:
            yield [
                *(attributes.at_or_below(path) for path in self.places.paths),
                *(matching_glob(attributes, glob) for glob in self.places.globs),
            ]
        for tag in self.tags:
            yield tagged(attributes, tag)
        for key, values in self.properties:
            yield [with_property(attributes, key, value) for value in values]
        if self.links or self.notes:
            yield [
                *(attributes.links.holders(path) for path in self.links),
                *(attributes.notes.holders(note) for note in self.notes),
            ]
        if self.only is not None:
            yield [attributes.at(path) for path in self.only]


def tagged(attributes: Attributes, tag: str) -> list[Int32Array]:
    """The documents with a tag, and those with one nested below it."""
    return [attributes.tags.holders(tag), attributes.tags.holders_below(f"{tag}/")]


def with_property(attributes: Attributes, key: str, value: str | None) -> Int32Array:
    """The documents with a property; ``None``: with any value of the key."""
    if value is None:
        return attributes.properties.holders_below(property_text(key, ""))
    return attributes.properties.holders(property_text(key, value))


def matching_glob(attributes: Attributes, glob: str) -> Int32Array:
    """The documents whose paths a glob fits."""
    folder = literal_folder(glob)
    places = beginning_with(attributes.paths, f"{folder}/") if folder else range(len(attributes.paths))
    fits = compile_glob(glob).fullmatch
    return attributes.by_path[[place for place in places if fits(attributes.paths[place])]]


def _in_group(attributes: Attributes, group: str) -> Int32Array:
    if group != TOP_LEVEL:
        return attributes.below(group)
    return attributes.by_path[[place for place, path in enumerate(attributes.paths) if "/" not in path]]


def _mask(documents: list[Int32Array], count: int) -> BoolArray:
    mask = np.zeros(count, np.bool_)
    for each in documents:
        mask[each] = True
    return mask


def _is_late(moment: Moment, attributes: Attributes, modified_ns: IntArray) -> BoolArray:
    is_late: BoolArray = np.where(
        attributes.days == NO_DAY, modified_ns >= moment.ns, attributes.days >= moment.day
    )
    return is_late


@dataclass(frozen=True, slots=True)
class Selection:
    """The live sections of a segment that a filter lets through: a mask over all of them, and how many."""

    sections: BoolArray
    count: int


class Selections:
    """The latest selections of one state of a segment; any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[DocumentFilter, Selection] = {}

    def get(self, chosen: DocumentFilter, select: Callable[[], Selection]) -> Selection:
        """The selection of a filter, made by ``select`` where it is not remembered."""
        with self._lock:
            found = self._found.pop(chosen, None)
        if found is None:
            found = select()
        with self._lock:
            self._found[chosen] = found  # as the newest
            while len(self._found) > REMEMBERED_MAX:
                del self._found[next(iter(self._found))]
        return found
