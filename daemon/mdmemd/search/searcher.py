"""One question to one page.

Order of events: take the question apart; words; vectors where there are any; fuse and rank; then walk down
the ranking and let onto the page what is still on disk as indexed and holds what was insisted on. Invariants:
everything on a page was read from the file at this moment, or is left out and reported in ``stale``; a page
says which mode it was really made in and why. Called on the query pool; keeps nothing between questions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from mdmemd.errors import ModelUnavailableError
from mdmemd.index.scope import Scope
from mdmemd.model import FloatVector, SearchMode
from mdmemd.ports import FileSystem, Reranker
from mdmemd.search.assembly import assemble
from mdmemd.search.candidates import Candidates, hybrid_candidates, keyword_candidates, semantic_candidates
from mdmemd.search.fusion import fuse
from mdmemd.search.keyword_evidence import KeywordEvidence, excluded_refs
from mdmemd.search.page import KeywordMatch, Page, Question
from mdmemd.search.query import ParsedQuery, parse_query
from mdmemd.search.quote import Quoter
from mdmemd.search.ranking import rank
from mdmemd.search.rerank import rerank

NOTHING_EMBEDDED = "no passage has a vector yet, so only words were compared"

READ_ENOUGH = "the files of this question are so large that only its best candidates were read"


class Searcher:
    """Answers questions.

    ``embed_query`` gets a question and the fingerprints of the models whose vectors it is compared with, and
    raises ``ModelUnavailableError`` where there is no model or another one. ``reranker`` is optional.
    """

    def __init__(
        self,
        *,
        files: FileSystem,
        embed_query: Callable[[str, Collection[str]], FloatVector],
        reranker: Reranker | None = None,
    ) -> None:
        self._files = files
        self._embed_query = embed_query
        self._reranker = reranker

    def search(
        self,
        scope: Scope,
        question: Question,
        *,
        folders: Mapping[str, str],
        vectors_by: Collection[str] = (),
    ) -> Page:
        """The page for ``question``; ``folders`` maps the scope's root names to their absolute folders.

        ``vectors_by`` are the fingerprints of the models of the scope's vectors.

        Where there is no model, a question of any mode is answered by words and the page says so. Raises
        ``InvalidRequestError`` for a blank or oversized question.
        """
        query = parse_query(question.query)
        if not query.concepts:
            return _empty_page(scope, question, KeywordMatch.NO_TERMS)
        evidence = KeywordEvidence(scope, query)
        if evidence.is_unknown_identifier():
            return _empty_page(scope, question, evidence.absence())
        vector, degraded = self._vector(scope, query, question.mode, vectors_by)
        candidates = _candidates(scope, evidence, vector, question.mode)
        candidates = candidates.without(excluded_refs(scope, query.excluded))
        scores = fuse(
            query,
            fractions=candidates.fractions,
            coverage=candidates.coverage,
            cosines=candidates.cosines,
        )
        quoter = Quoter(files=self._files, folders=folders)
        ranked = rank(scope, candidates, scores, query=query)
        if self._reranker is not None and vector is not None and question.mode is SearchMode.HYBRID:
            ranked, degraded = rerank(ranked, question=query.text, quoter=quoter, reranker=self._reranker)
        hits = assemble(
            ranked,
            quoter=quoter,
            query=query,
            idf=evidence.concept_idf.tolist(),
            limit=question.limit,
        )
        outcome = evidence.outcome()
        was_filtered = outcome is KeywordMatch.MATCHED and not hits and not quoter.stale()
        return Page(
            hits=hits,
            mode=SearchMode.KEYWORD if vector is None else question.mode,
            degraded=degraded or (READ_ENOUGH if quoter.is_exhausted else None),
            keyword_match=KeywordMatch.FILTERED if was_filtered else outcome,
            exact_sections=evidence.exact_sections(),
            stale=quoter.stale(),
            filtered_sections=scope.filtered_sections,
        )

    def _vector(
        self, scope: Scope, query: ParsedQuery, mode: SearchMode, vectors_by: Collection[str]
    ) -> tuple[FloatVector | None, str | None]:
        """The question's vector, or why there is none although the mode wants one."""
        if mode is SearchMode.KEYWORD:
            return None, None
        if not scope.embedded:
            return None, NOTHING_EMBEDDED if scope.passages else None
        try:
            return self._embed_query(query.text, vectors_by), None
        except ModelUnavailableError as error:
            return None, str(error)


def _empty_page(scope: Scope, question: Question, keyword_match: KeywordMatch) -> Page:
    return Page((), question.mode, None, keyword_match, 0, filtered_sections=scope.filtered_sections)


def _candidates(
    scope: Scope, evidence: KeywordEvidence, vector: FloatVector | None, mode: SearchMode
) -> Candidates:
    if vector is None:
        return keyword_candidates(evidence)
    if mode is SearchMode.SEMANTIC:
        return semantic_candidates(scope, vector)
    return hybrid_candidates(scope, vector, evidence)
