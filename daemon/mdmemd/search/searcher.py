"""One question to one page.

Order of events: take the question apart; words; vectors where there are any; fuse and rank; then walk down
the ranking and let onto the page what is still on disk as indexed and holds what was insisted on. Invariants:
everything on a page was read from the file at this moment, or is left out and reported in ``stale``; a page
says which mode it was really made in and why; where nothing answers, what comes nearest is named apart from
the hits, and so is the spelling that a mistyped word may have had. Called on the query pool; keeps nothing
between questions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

import numpy as np

from mdmemd.errors import ModelUnavailableError
from mdmemd.index.arrays import IntArray
from mdmemd.index.scope import Scope
from mdmemd.model import FloatVector, SearchMode
from mdmemd.ports import FileSystem, Reranker
from mdmemd.search.assembly import Assembled
from mdmemd.search.competition import Competition
from mdmemd.search.cursor import make_cursor, start_of
from mdmemd.search.definition import explaining_first
from mdmemd.search.keyword_evidence import KeywordEvidence
from mdmemd.search.page import KeywordMatch, Page, Question
from mdmemd.search.query import ParsedQuery, parse_query
from mdmemd.search.quote import Quoter
from mdmemd.search.ranking import Ranked
from mdmemd.search.rerank import rerank
from mdmemd.search.respelling import respellings
from mdmemd.search.why import Why, WhyState, stand

NOTHING_EMBEDDED = "no passage has a vector yet, so only words were compared"

READ_ENOUGH = "the files of this question are so large that only its best candidates were read"


class Searcher:
    """Answers questions.

    ``embed_query`` gets a question and the fingerprints of the models whose vectors it is compared with, and
    raises ``ModelUnavailableError`` where there is no model or another one. ``reranker`` is optional;
    ``parse`` takes a question apart as ``parse_query`` does.
    """

    def __init__(
        self,
        *,
        files: FileSystem,
        embed_query: Callable[[str, Collection[str]], FloatVector],
        reranker: Reranker | None = None,
        parse: Callable[[str], ParsedQuery] = parse_query,
    ) -> None:
        self._files = files
        self._embed_query = embed_query
        self._reranker = reranker
        self._parse = parse

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
        ``InvalidRequestError`` for a blank or oversized question and for a cursor that does not fit.
        """
        query = self._parse(question.query)
        start = start_of(scope, question)
        if not query.concepts:
            return Page(
                *((), question.mode, None, KeywordMatch.NO_TERMS, 0),
                filtered_sections=scope.filtered_sections,
            )
        evidence = KeywordEvidence(scope, query)
        is_unknown = evidence.is_unknown_identifier()
        vector, degraded = self._vector(scope, query, question.mode, vectors_by)
        competing = Competition.of(scope, query, evidence, vector, mode=question.mode)
        quoter = Quoter(files=self._files, folders=folders)
        found = Assembled((), None)
        if not is_unknown:
            ranked, not_reranked = self._ranked(competing, question, quoter)
            found = competing.page(ranked, quoter, question, start)
            degraded = degraded or not_reranked
        outcome = evidence.absence() if is_unknown else evidence.outcome()
        was_filtered = outcome is KeywordMatch.MATCHED and not found.hits and not start and not quoter.stale()
        exact = np.setdiff1d(evidence.exact_refs(), competing.excluded)
        respelled = respellings(scope, query, evidence, quoter) if not start else ()
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
            did_you_mean=respelled,
        )

    def why(
        self,
        scope: Scope,
        question: Question,
        refs: IntArray,
        *,
        folders: Mapping[str, str],
        vectors_by: Collection[str] = (),
    ) -> Why:
        """Where the best of the sections ``refs``, which the filter lets through, stands and why.

        Raises as ``search`` does.
        """
        query = self._parse(question.query)
        if not query.concepts:
            return Why(WhyState.NO_ANSWER, "the question has no words to look up")
        evidence = KeywordEvidence(scope, query)
        if evidence.is_unknown_identifier():
            return Why(WhyState.NO_ANSWER, "nothing answers: no section names what the question asks for")
        vector, _ = self._vector(scope, query, question.mode, vectors_by)
        competition = Competition.of(scope, query, evidence, vector, mode=question.mode)
        competition = competition.joined_by(refs, question.mode)
        quoter = Quoter(files=self._files, folders=folders)
        ranked, _ = self._ranked(competition, question, quoter)
        return stand(competition, ranked, quoter, question, refs)

    def _ranked(
        self, competition: Competition, question: Question, quoter: Quoter
    ) -> tuple[Iterator[Ranked], str | None]:
        """Who competes, best first, and why a reranker that is configured did not do all of its work."""
        ranked = competition.ranked()
        if question.mode in _BY_WORDS:
            ranked = explaining_first(ranked, query=competition.query, quoter=quoter)
        if self._reranker is None or competition.vector is None or question.mode is not SearchMode.HYBRID:
            return ranked, None
        return rerank(ranked, question=competition.query.text, quoter=quoter, reranker=self._reranker)

    def _vector(
        self, scope: Scope, query: ParsedQuery, mode: SearchMode, vectors_by: Collection[str]
    ) -> tuple[FloatVector | None, str | None]:
        """The question's vector, or why there is none although the mode wants one."""
        if mode not in _BY_MEANING:
            return None, None
        if not scope.embedded:
            return None, NOTHING_EMBEDDED if scope.passages else None
        try:
            return self._embed_query(query.text, vectors_by), None
        except ModelUnavailableError as error:
            return None, str(error)


_BY_WORDS = frozenset({SearchMode.HYBRID, SearchMode.KEYWORD})
_BY_MEANING = frozenset({SearchMode.HYBRID, SearchMode.SEMANTIC})
