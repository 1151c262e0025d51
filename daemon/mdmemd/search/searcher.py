"""One question to one page.

Order of events: take the question apart; words; vectors where there are any; fuse and rank; then walk down
the ranking and let onto the page what is still on disk as indexed and holds what was insisted on. Invariants:
everything on a page was read from the file at this moment, or is left out and reported in ``stale``; a page
says which mode it was really made in and why; where nothing answers, what comes nearest is named apart from
the hits. Called on the query pool; keeps nothing between questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from mdmemd.errors import ModelUnavailableError
from mdmemd.index.scope import Scope, SectionHandle
from mdmemd.model import FloatVector, SearchMode
from mdmemd.ports import FileSystem
from mdmemd.search.admission import admitted, admitted_exactly
from mdmemd.search.assembly import Assembled, assemble
from mdmemd.search.candidates import (
    Candidates,
    exact_candidates,
    hybrid_candidates,
    keyword_candidates,
    semantic_candidates,
)
from mdmemd.search.cursor import make_cursor, start_of
from mdmemd.search.fusion import fuse
from mdmemd.search.keyword_evidence import KeywordEvidence, excluded_refs
from mdmemd.search.matched_passage import PassageScores, passage_scores
from mdmemd.search.page import Hit, KeywordMatch, Page, Question
from mdmemd.search.query import ParsedQuery, parse_query
from mdmemd.search.quote import Quoter
from mdmemd.search.ranking import Ranked, rank
from mdmemd.text.source import SourceText

NOTHING_EMBEDDED = "no passage has a vector yet, so only words were compared"

READ_ENOUGH = "the files of this question are so large that only its best candidates were read"

NEAR_MISSES_MAX = 3


class Searcher:
    """Answers questions; ``embed_query`` raises ``ModelUnavailableError`` where there is no model."""

    def __init__(self, *, files: FileSystem, embed_query: Callable[[str], FloatVector]) -> None:
        self._files = files
        self._embed_query = embed_query

    def search(self, scope: Scope, question: Question, *, folders: Mapping[str, str]) -> Page:
        """The page for ``question``; ``folders`` maps the scope's root names to their absolute folders.

        Where there is no model, a question of any mode is answered by words and the page says so. Raises
        ``InvalidRequestError`` for a blank or oversized question and for a cursor that does not fit.
        """
        query = parse_query(question.query)
        start = start_of(scope, question)
        if not query.concepts:
            return Page(
                *((), question.mode, None, KeywordMatch.NO_TERMS, 0),
                filtered_sections=scope.filtered_sections,
            )
        evidence = KeywordEvidence(scope, query)
        is_unknown = evidence.is_unknown_identifier()
        vector, degraded = self._vector(scope, query, question.mode)
        competing = _Competing.of(scope, query, evidence, vector, mode=question.mode)
        quoter = Quoter(files=self._files, folders=folders)
        found = Assembled((), None) if is_unknown else competing.page(quoter, question, start)
        outcome = evidence.absence() if is_unknown else evidence.outcome()
        was_filtered = outcome is KeywordMatch.MATCHED and not found.hits and not start and not quoter.stale()
        exact = evidence.exact_refs()
        is_abstaining = not found.hits and not start and not quoter.stale()
        return Page(
            hits=found.hits,
            mode=SearchMode.KEYWORD if vector is None and question.mode in _BY_MEANING else question.mode,
            degraded=degraded or (READ_ENOUGH if quoter.is_exhausted else None),
            keyword_match=KeywordMatch.FILTERED if was_filtered else outcome,
            exact_sections=len(exact),
            stale=quoter.stale(),
            filtered_sections=scope.filtered_sections,
            exact_files=scope.document_count(exact),
            cursor=None if found.following is None else make_cursor(found.following, scope, question),
            near_misses=competing.near_misses(quoter) if is_abstaining else (),
        )

    def _vector(
        self, scope: Scope, query: ParsedQuery, mode: SearchMode
    ) -> tuple[FloatVector | None, str | None]:
        """The question's vector, or why there is none although the mode wants one."""
        if mode not in _BY_MEANING:
            return None, None
        if not scope.embedded:
            return None, NOTHING_EMBEDDED if scope.passages else None
        try:
            return self._embed_query(query.text), None
        except ModelUnavailableError as error:
            return None, str(error)


_BY_MEANING = frozenset({SearchMode.HYBRID, SearchMode.SEMANTIC})


@dataclass(frozen=True, slots=True)
class _Competing:
    """The sections that compete for the page of one question, with all that is known of it."""

    scope: Scope
    query: ParsedQuery
    idf: list[float]
    vector: FloatVector | None
    candidates: Candidates

    @classmethod
    def of(
        cls,
        scope: Scope,
        query: ParsedQuery,
        evidence: KeywordEvidence,
        vector: FloatVector | None,
        *,
        mode: SearchMode,
    ) -> _Competing:
        candidates = _candidates(scope, evidence, vector, mode)
        candidates = candidates.without(excluded_refs(scope, query.excluded))
        return cls(scope, query, evidence.concept_idf.tolist(), vector, candidates)

    def ranked(self) -> Iterator[Ranked]:
        """Best first."""
        found = self.candidates
        scores = fuse(self.query, fractions=found.fractions, coverage=found.coverage, cosines=found.cosines)
        return rank(self.scope, found, scores, query=self.query)

    def page(self, quoter: Quoter, question: Question, start: int) -> Assembled:
        """The hits from the position ``start`` on."""
        if question.mode is SearchMode.EXACT:
            stream = admitted_exactly(self.ranked(), quoter=quoter, query=self.query, start=start)
        else:
            stream = admitted(self.ranked(), quoter=quoter, query=self.query)
        return assemble(stream, start=start, scorer=self._score, question=question)

    def near_misses(self, quoter: Quoter) -> tuple[Hit, ...]:
        """The nearest sections whether or not they hold the phrases of the question, as pointers."""
        stream = admitted(self.ranked(), quoter=quoter, query=replace(self.query, phrases=()))
        asked = Question(self.query.text, NEAR_MISSES_MAX, SearchMode.EXACT)
        return assemble(stream, start=0, scorer=self._score, question=asked).hits

    def _score(self, section: SectionHandle, source: SourceText) -> PassageScores:
        cosines = () if self.vector is None else self.scope.passage_cosines(self.vector, section).tolist()
        return passage_scores(
            source, section.passages, concepts=self.query.concepts, idf=self.idf, cosines=cosines
        )


def _candidates(
    scope: Scope, evidence: KeywordEvidence, vector: FloatVector | None, mode: SearchMode
) -> Candidates:
    if mode is SearchMode.EXACT:
        return exact_candidates(evidence)
    if vector is None:
        return keyword_candidates(evidence)
    if mode is SearchMode.SEMANTIC:
        return semantic_candidates(scope, vector)
    return hybrid_candidates(scope, vector, evidence)
