"""Why a document is in the answer to a question, or why not: the question's side and the file's in one.

A facade beside ``Service``; called on the query pool, raises only ``mdmemd.errors`` types for what a caller
can cause. What is no document is explained by ``Scoping``.
"""

from __future__ import annotations

import os

from mdmemd.engine.scoping import PathState, Scoping
from mdmemd.engine.service import Service
from mdmemd.errors import NotFoundError
from mdmemd.index.scope import Scope
from mdmemd.search.address import parse_address
from mdmemd.search.filtering import FilterResolver
from mdmemd.search.page import Place, Question
from mdmemd.search.reading import Reader, sections_named
from mdmemd.search.searcher import Searcher
from mdmemd.search.why import Why, WhyState


class QueryExplainer:
    """See the module."""

    def __init__(
        self,
        service: Service,
        scoping: Scoping,
        *,
        searcher: Searcher,
        reader: Reader,
        filters: FilterResolver,
    ) -> None:
        self._service = service
        self._scoping = scoping
        self._searcher = searcher
        self._reader = reader
        self._filters = filters

    def why(self, question: Question, path: str, *, heading: str = "", roots: tuple[str, ...] = ()) -> Why:
        """Where the best section of a document stands, or of those that ``heading`` names.

        ``path`` may be an address, whose lines say nothing here.
        Raises ``NotFoundError`` (no such file, heading or root), ``AmbiguousError``,
        ``InvalidRequestError``, ``RefusedError`` (outside of every root).
        """
        address = parse_address(path)
        path, heading = address.path, heading or address.heading
        all_of_it, folders = self._service.scope(roots)
        snapshots = dict(all_of_it.roots)
        try:
            found = self._reader.find(path, roots=snapshots, folders=folders)
        except NotFoundError as error:
            return self._no_document(path, folders, error)
        chosen = self._filters.resolve(question.filter, roots=snapshots, folders=folders)
        scope = Scope(list(all_of_it.roots), filters=chosen)
        refs = scope.refs_of(found.root, found.document)
        if not found.document.sections:
            return Why(WhyState.UNMATCHED, "it has no text")
        if not len(refs):
            place = Place(found.root, found.document.path, (), None, found.document.sections[0].lines)
            return Why(WhyState.FILTERED, "the filter leaves its document out", place)
        named = sections_named(found, heading)
        embedded = [name for name, snapshot in scope.roots if snapshot.embedded]
        return self._searcher.why(
            scope,
            question,
            refs[list(named)],
            folders=folders,
            vectors_by={self._service.root_view(name).vectors_by for name in embedded},
        )

    def _no_document(self, path: str, folders: dict[str, str], error: NotFoundError) -> Why:
        for root, relative in self._reader.places(path, folders=folders):
            report = self._scoping.why(os.path.join(folders[root], relative))
            if report.state is not PathState.MISSING:
                return Why(WhyState.NOT_INDEXED, f"{relative} of the root {root}: {report.sentence}")
        raise error
