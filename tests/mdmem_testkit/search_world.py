"""A small world to search: roots of Markdown files in memory, really parsed and indexed, with word-hash
vectors on demand.
"""

from __future__ import annotations

import hashlib
import textwrap
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from mdmem_testkit.fake_clock import FakeClock
from mdmem_testkit.fake_files import FakeFiles
from mdmem_testkit.fake_reranker import FakeReranker
from mdmemd.errors import ModelUnavailableError
from mdmemd.index.filters import DocumentFilter
from mdmemd.index.root_index import RootIndex
from mdmemd.index.scope import Scope, SectionHandle
from mdmemd.index.snapshot import DocumentRecord, RootSnapshot
from mdmemd.model import FloatVector, IndexedFile, SearchMode
from mdmemd.search.filtering import FilterResolver
from mdmemd.search.listing import list_documents
from mdmemd.search.matched_passage import QuestionWords
from mdmemd.search.page import NO_FILTER, Filter, Page, Question
from mdmemd.search.query import parse_query
from mdmemd.search.quotable import Quotable, quotable
from mdmemd.search.searcher import Searcher
from mdmemd.search.why import Why
from mdmemd.text.document import parse_document
from mdmemd.text.source import SourceText

DIMENSIONS = 64


def word_vector(text: str) -> FloatVector:
    """Unit vector of the words of a text: shared words make texts similar, nothing else does."""
    vector = np.full(DIMENSIONS, 1e-3, np.float32)
    for word in text.lower().replace(":", " ").replace(">", " ").split():
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=2).digest()
        vector[int.from_bytes(digest, "little") % DIMENSIONS] += 1.0
    unit: FloatVector = vector / np.linalg.norm(vector)
    return unit


class SearchWorld:
    """Roots in memory; ``add`` writes and indexes, ``files`` changes the disk behind the index's back."""

    def __init__(self) -> None:
        self.files = FakeFiles()
        self.clock = FakeClock()
        self.folders: dict[str, str] = {}
        self.model_error: str | None = None
        self.reranker: FakeReranker | None = None
        self.embedded_questions: list[str] = []
        self._indexes: dict[str, RootIndex] = {}

    def add(self, path: str, text: str, *, root: str = "docs", embed: bool = True) -> None:
        """Write a file (common indentation removed) and index it."""
        folder = self.folders.setdefault(root, f"/{root}")
        index = self._indexes.setdefault(root, RootIndex(dimensions=DIMENSIONS))
        self.files.write(f"{folder}/{path}", textwrap.dedent(text).lstrip("\n"))
        data, fingerprint = self.files.read(f"{folder}/{path}", bytes_max=1 << 30)
        digest = hashlib.blake2b(data, digest_size=16).digest()
        unembedded = index.apply(
            files=[IndexedFile(path, fingerprint, digest, parse_document(data, path=path))], removed=()
        )
        if embed and unembedded:
            index.add_vectors(
                [each.key for each in unembedded], np.stack([word_vector(each.text) for each in unembedded])
            )

    def drop(self, path: str, *, root: str = "docs") -> None:
        """Take a document out of the index; the file stays."""
        self._indexes[root].apply(files=[], removed=[path])

    def snapshots(self) -> Mapping[str, RootSnapshot]:
        """The state of each root."""
        return {root: index.freeze() for root, index in self._indexes.items()}

    def document(self, path: str, *, root: str = "docs") -> DocumentRecord:
        """One indexed document."""
        document = self._indexes[root].freeze().document(path)
        assert document is not None
        return document

    def search(
        self,
        query: str,
        *,
        mode: SearchMode = SearchMode.HYBRID,
        limit: int = 5,
        roots: tuple[str, ...] = (),
        where: Filter = NO_FILTER,
        max_tokens: int = 0,
        expand: bool = False,
        cursor: str = "",
        explain: bool = False,
    ) -> Page:
        """Ask some roots, or all of them."""
        searcher = Searcher(files=self.files, embed_query=self._embed_query, reranker=self.reranker)
        snapshots = {name: each for name, each in self.snapshots().items() if not roots or name in roots}
        scope = Scope(list(snapshots.items()), filters=self.resolved(where, snapshots))
        return searcher.search(
            scope,
            Question(query, limit, mode, where, max_tokens, expand, cursor, explain),
            folders=self.folders,
        )

    def why(
        self,
        query: str,
        path: str,
        *,
        mode: SearchMode = SearchMode.HYBRID,
        limit: int = 5,
        where: Filter = NO_FILTER,
    ) -> Why:
        """Where the document of the root ``docs`` stands."""
        snapshots = self.snapshots()
        scope = Scope(list(snapshots.items()), filters=self.resolved(where, snapshots))
        document = snapshots["docs"].document(path)
        assert document is not None
        searcher = Searcher(files=self.files, embed_query=self._embed_query, reranker=self.reranker)
        refs = scope.refs_of("docs", document)
        return searcher.why(scope, Question(query, limit, mode, where), refs, folders=self.folders)

    def quotable(
        self,
        path: str,
        question: str,
        *,
        section: int = 0,
        cosines: Mapping[int, Sequence[float]] | None = None,
    ) -> tuple[Quotable, SourceText]:
        """What a hit on a section of the root ``docs`` may quote, every word of the question worth the same.

        ``cosines`` are those of the passages of each section.
        """
        concepts = parse_query(question).concepts
        data, _ = self.files.read(f"/docs/{path}", bytes_max=1 << 30)
        source = SourceText.decode(data)
        found = quotable(
            SectionHandle("docs", self.document(path), section),
            source,
            words=QuestionWords(concepts, [1.0] * len(concepts)),
            cosines=lambda part: list((cosines or {}).get(part.index, ())),
            with_parts=True,
        )
        return found, source

    def listed(self, where: Filter) -> list[str]:
        """Paths of what a filter lets through; outside ``docs`` after the name of their root."""
        snapshots = self.snapshots()
        rows = list_documents(snapshots, filters=self.resolved(where, snapshots))
        return [row.path if row.root == "docs" else f"{row.root}:{row.path}" for row in rows]

    def resolved(self, where: Filter, snapshots: Mapping[str, RootSnapshot]) -> Mapping[str, DocumentFilter]:
        """What a filter means for each root, at ``clock``."""
        resolver = FilterResolver(files=self.files, clock=self.clock)
        return resolver.resolve(where, roots=snapshots, folders=self.folders)

    def _embed_query(self, text: str, _made_by: Collection[str]) -> FloatVector:
        self.embedded_questions.append(text)
        if self.model_error is not None:
            raise ModelUnavailableError(self.model_error)
        return word_vector(text)
