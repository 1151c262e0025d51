"""From a filter as somebody wrote it to the condition that each root's index checks.

Invariants: what is named must exist in one of the roots, a filter that silently lets nothing through searches
the wrong documents without a word; names of files are literal and compared in Unicode NFC, and only what
names nothing is taken for a glob; tags, keys and values are compared without case. Work is done for each
name, not for each document; only an error looks through all names. Called on the query pool.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from mdmemd.errors import InvalidRequestError, NotFoundError, RefusedError
from mdmemd.index.arrays import Int32Array
from mdmemd.index.attributes import Attributes, composed, property_key, property_text
from mdmemd.index.filters import (
    TOP_LEVEL,
    DocumentFilter,
    Places,
    matching_glob,
    tagged,
    with_property,
)
from mdmemd.index.path_globs import is_glob
from mdmemd.index.snapshot import RootSnapshot, SegmentView
from mdmemd.model import DocumentKind
from mdmemd.ports import Clock, FileSystem
from mdmemd.search.link_targets import linked_documents, names_of_note
from mdmemd.search.listing import path_parts
from mdmemd.search.locate import FoundDocument, find_document, paths_in_roots
from mdmemd.search.moments import parse_moment
from mdmemd.search.near_names import COMPARED_MAX, near_names
from mdmemd.search.page import NO_FILTER, Filter
from mdmemd.text.filter_attributes import folded

LISTED_MAX = 20


class FilterResolver:
    """Gives filters their meaning."""

    def __init__(self, *, files: FileSystem, clock: Clock) -> None:
        self._files = files
        self._clock = clock

    def resolve(
        self, asked: Filter, *, roots: Mapping[str, RootSnapshot], folders: Mapping[str, str]
    ) -> dict[str, DocumentFilter]:
        """The condition for each of the roots; empty where nothing was asked for.

        ``folders``: the absolute folder of each root. Raises ``NotFoundError`` for what names nothing,
        ``InvalidRequestError`` for what cannot be meant, and the errors of ``locate.find_document``.
        """
        if asked == NO_FILTER:
            return {}
        names = _Names([view for snapshot in roots.values() for view in snapshot.segments])
        conditions = DocumentFilter(
            groups=tuple(names.group(group) for group in asked.groups),
            tags=tuple(names.tag(tag) for tag in asked.tags),
            properties=names.properties(asked.properties),
            kind=_kind(asked.kind),
            since=parse_moment(asked.since, name="since", now=self._clock.time()) if asked.since else None,
            before=parse_moment(asked.before, name="before", now=self._clock.time())
            if asked.before
            else None,
        )
        if conditions.since and conditions.before and conditions.before.day <= conditions.since.day:
            raise InvalidRequestError(
                f"Nothing is dated since {asked.since!r} and before {asked.before!r}.",
                remedy="Let 'before' be later than 'since'.",
            )
        found = dict.fromkeys(roots, conditions)
        if asked.paths:
            places = _PlaceFinder(names, roots=roots, folders=folders, files=self._files)
            for path in asked.paths:
                places.add(path)
            found = {root: replace(each, places=places.of(root)) for root, each in found.items()}
        for path, restrict in ((asked.linked_from, _linked_from), (asked.links_to, _linking_to)):
            if path:
                place = find_document(path, roots=roots, folders=folders, files=self._files)
                for root in roots:
                    is_here = root == place.root
                    found[root] = (
                        restrict(found[root], roots[root], place)
                        if is_here
                        else replace(found[root], only=())  # links stay within a root
                    )
        return found


def _linking_to(conditions: DocumentFilter, snapshot: RootSnapshot, found: FoundDocument) -> DocumentFilter:
    path = composed(found.document.path)
    notes = names_of_note(snapshot, found.document)
    return replace(conditions, links=(path,), notes=notes, without=(path,))


def _linked_from(conditions: DocumentFilter, snapshot: RootSnapshot, found: FoundDocument) -> DocumentFilter:
    return replace(conditions, only=linked_documents(snapshot, found.document))


def _kind(text: str) -> DocumentKind | None:
    if not text:
        return None
    try:
        return DocumentKind(folded(text))
    except ValueError:
        kinds = tuple(DocumentKind)
        raise InvalidRequestError(
            f"There is no kind {text!r}.", remedy=f"It is {' or '.join(kinds)}.", candidates=kinds
        ) from None


@dataclass(frozen=True, slots=True)
class _Names:
    """Looks up the names of a filter in all searched segments; methods give the forms that are compared."""

    views: list[SegmentView]

    def holds(self, find: Callable[[Attributes], Iterable[Int32Array]]) -> bool:
        """Whether a live document is among those that ``find`` gives for any segment."""
        return any(
            view.live_documents[documents].any()
            for view in self.views
            for documents in find(view.segment.attributes)
        )

    def group(self, text: str) -> str:
        """A top-level folder."""
        group = "/".join(path_parts(text)) or TOP_LEVEL
        if group != TOP_LEVEL and ("/" in group or not self.holds(lambda each: [each.below(group)])):
            folders = (path.split("/")[0] for path in self.live_paths() if "/" in path)
            raise _unknown(f"There is no group {text!r}", group, folders, "A group is a top-level folder.")
        return group

    def tag(self, text: str) -> str:
        """A tag, with or without ``#``."""
        tag = folded(text).removeprefix("#").strip("/")
        if not self.holds(lambda each: tagged(each, tag)):
            tags = (known for view in self.views for known in view.segment.attributes.tags.texts)
            raise _unknown(f"No document has the tag {text!r}", tag, tags, "Use one that a document has.")
        return tag

    def properties(self, texts: Iterable[str]) -> tuple[tuple[str, tuple[str | None, ...]], ...]:
        """The values asked for by key; ``None`` for any."""
        wanted: dict[str, tuple[str | None, ...]] = {}
        for text in texts:
            key, value = self._property(text)
            wanted[key] = (*wanted.get(key, ()), value)
        return tuple(wanted.items())

    def _property(self, text: str) -> tuple[str, str | None]:
        key, equals, given = text.partition("=")
        key = folded(key)
        value = folded(given) if equals else None
        if not key:
            raise InvalidRequestError(
                f"{text!r} names no property.", remedy="Give KEY=VALUE, or KEY for any value."
            )
        if not self.holds(lambda each: [with_property(each, key, None)]):
            keys = (property_key(known) for known in self._properties_below(""))
            raise _unknown(
                f"No document has the property {key!r}", key, keys, "Use a key of the front matter."
            )
        if value is not None and not self.holds(lambda each: [with_property(each, key, value)]):
            below = property_text(key, "")
            values = (known.removeprefix(below) for known in self._properties_below(below))
            raise _unknown(
                f"No document has {key}={given}", value, values, f"Use a value that {key} has somewhere."
            )
        return key, value

    def live_paths(self) -> Iterable[str]:
        """The paths of all documents."""
        for view in self.views:
            attributes = view.segment.attributes
            live = view.live_documents[attributes.by_path].tolist()
            yield from (path for path, is_live in zip(attributes.paths, live, strict=True) if is_live)

    def _properties_below(self, prefix: str) -> Iterable[str]:
        for view in self.views:
            properties = view.segment.attributes.properties
            yield from properties.texts_below(prefix) if prefix else properties.texts


@dataclass(slots=True)
class _PlaceFinder:
    """Collects, for each root, what the paths and globs of a filter mean in it."""

    names: _Names
    roots: Mapping[str, RootSnapshot]
    folders: Mapping[str, str]
    files: FileSystem
    _found: dict[str, Places] = field(default_factory=dict)

    def of(self, root: str) -> Places:
        """What was found; nothing in a root that none of them means."""
        return self._found.get(root, Places())

    def add(self, text: str) -> None:
        """One path or glob."""
        places = self._places(text)
        is_known = self._any(places, lambda path, each: [each.at_or_below(path)])
        is_fitting = (
            not is_known and is_glob(text) and (self._is_remembered(places) or self._any(places, _fitting))
        )
        if not is_known and not is_fitting:
            wanted = "/".join(path_parts(text))
            folders = (
                folder
                for path in self.names.live_paths()
                for folder in {path, *(path[:end] for end, sign in enumerate(path) if sign == "/")}
            )
            raise _unknown(
                f"The path {text!r} fits no document",
                wanted,
                folders,
                "Give a folder or file relative to the root, or a glob such as 'docs/**/api*'.",
            )
        for root, path in places:
            found = self.of(root)
            self._found[root] = (
                replace(found, paths=(*found.paths, path))
                if is_known
                else replace(found, globs=(*found.globs, path))
            )

    def _places(self, text: str) -> list[tuple[str, str]]:
        """Roots with the path that is meant in each."""
        parts = path_parts(text)
        if not os.path.isabs(text):
            return [(root, "/".join(parts)) for root in self.roots]
        places = [
            (root, "/".join(path_parts(path)))
            for root, path in paths_in_roots(text, folders=self.folders, files=self.files)
            if root in self.roots
        ]
        if not places:
            raise RefusedError(
                f"{text!r} is outside every searched root.",
                remedy="Register its folder as a root, or give a path inside one.",
            )
        return list(dict.fromkeys(places))

    def _is_remembered(self, globs: Iterable[tuple[str, str]]) -> bool:
        """Whether a section is behind one of the globs: asked first, since segments remember the answer."""
        return any(
            view.selection(DocumentFilter(places=Places(globs=(glob,)))).count
            for root, glob in globs
            for view in self.roots[root].segments
        )

    def _any(
        self,
        places: Iterable[tuple[str, str]],
        find: Callable[[str, Attributes], Iterable[Int32Array]],
    ) -> bool:
        return any(
            _Names(list(self.roots[root].segments)).holds(partial(find, path)) for root, path in places
        )


def _fitting(glob: str, attributes: Attributes) -> list[Int32Array]:
    return [matching_glob(attributes, glob)]


def _unknown(message: str, wanted: str, known: Iterable[str], remedy: str) -> NotFoundError:
    """The error for a name that does not exist, with the nearest that do."""
    names = list(dict.fromkeys(islice(known, COMPARED_MAX)))
    near = near_names(wanted, names)
    return NotFoundError(f"{message}.", remedy=remedy, candidates=tuple(near or sorted(names)[:LISTED_MAX]))
