"""The sections that compete for the page of one question, with all that is known of the question.

Made once a question, on the query pool; the page, its near misses and ``why`` look at it. Immutable; lazy:
nothing is ranked or read before somebody asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from mdmemd.index.scope import Scope, SectionHandle
from mdmemd.model import FloatVector, SearchMode
from mdmemd.search.admission import Admitted, admitted, admitted_exactly
from mdmemd.search.assembly import Assembled, assemble
from mdmemd.search.candidates import (
    Candidates,
    exact_candidates,
    hybrid_candidates,
    keyword_candidates,
    semantic_candidates,
    widened,
)
from mdmemd.search.definition_start import looked_up
from mdmemd.search.explanation import contributions
from mdmemd.search.fusion import fuse
from mdmemd.search.keyword_evidence import IntArray, KeywordEvidence, excluded_refs
from mdmemd.search.matched_passage import QuestionWords
from mdmemd.search.page import Contribution, Hit, Question
from mdmemd.search.query import ParsedQuery
from mdmemd.search.quotable import Quotable, quotable
from mdmemd.search.quote import Quoter
from mdmemd.search.ranking import Ranked, rank
from mdmemd.text.source import SourceText

NEAR_MISSES_MAX = 3


@dataclass(frozen=True, slots=True)
class Competition:
    """See the module. ``excluded`` are the sections that the question leaves out, ascending."""

    scope: Scope
    query: ParsedQuery
    evidence: KeywordEvidence
    idf: list[float]
    vector: FloatVector | None
    candidates: Candidates
    excluded: IntArray

    @classmethod
    def of(
        cls,
        scope: Scope,
        query: ParsedQuery,
        evidence: KeywordEvidence,
        vector: FloatVector | None,
        *,
        mode: SearchMode,
    ) -> Competition:
        """Who competes by the evidence that ``mode`` goes by; ``vector`` is the question's, if it has one."""
        excluded = excluded_refs(scope, query.excluded)
        candidates = _candidates(scope, evidence, vector, mode)
        if len(excluded):
            candidates = candidates.without(excluded)
        idf = evidence.concept_idf.tolist()
        return cls(scope, query, evidence, idf, vector, candidates, excluded)

    def joined_by(self, refs: IntArray, mode: SearchMode) -> Competition:
        """The same with the sections ``refs`` among them, on their own evidence."""
        if mode is SearchMode.EXACT:
            return self
        newcomers = np.setdiff1d(refs, np.union1d(self.candidates.refs, self.excluded))
        evidence = None if mode is SearchMode.SEMANTIC and self.vector is not None else self.evidence
        return replace(
            self, candidates=widened(self.candidates, newcomers, self.scope, self.vector, evidence=evidence)
        )

    def ranked(self) -> Iterator[Ranked]:
        """Best first."""
        found = self.candidates
        scores = fuse(self.query, fractions=found.fractions, coverage=found.coverage, cosines=found.cosines)
        return rank(self.scope, found, scores, query=self.query)

    def page(self, ranked: Iterator[Ranked], quoter: Quoter, question: Question, start: int) -> Assembled:
        """The hits from the position ``start`` of these sections on."""
        stream = self.admitted(ranked, quoter, question.mode, start=start)
        return self._assembled(stream, question, start)

    def admitted(
        self, ranked: Iterator[Ranked], quoter: Quoter, mode: SearchMode, *, start: int = 0
    ) -> Iterator[Admitted]:
        """The stream that all pages are taken from; in exact mode from ``start`` on."""
        if mode is SearchMode.EXACT:
            return admitted_exactly(ranked, quoter=quoter, query=self.query, start=start)
        return admitted(ranked, quoter=quoter, query=self.query)

    def near_misses(self, quoter: Quoter) -> tuple[Hit, ...]:
        """The nearest sections whether or not they hold the phrases of the question, as pointers."""
        stream = admitted(self.ranked(), quoter=quoter, query=replace(self.query, phrases=()))
        asked = Question(self.query.text, NEAR_MISSES_MAX, SearchMode.EXACT)
        return self._assembled(stream, asked, 0).hits

    def explain(self, ranked: Ranked) -> tuple[Contribution, ...]:
        """What the score of one of them is made of."""
        return contributions(
            ranked,
            scope=self.scope,
            query=self.query,
            evidence=self.evidence,
            candidates=self.candidates,
        )

    def _assembled(self, stream: Iterator[Admitted], question: Question, start: int) -> Assembled:
        words = QuestionWords(self.query.concepts, self.idf, names=looked_up(self.query))

        def quotable_of(section: SectionHandle, source: SourceText, is_first: bool) -> Quotable:
            return quotable(section, source, words=words, cosines=self._passage_cosines, with_parts=is_first)

        return assemble(stream, start=start, quotable_of=quotable_of, question=question, explain=self.explain)

    def _passage_cosines(self, section: SectionHandle) -> list[float]:
        """Of each passage of the section; none where the question has no vector."""
        return [] if self.vector is None else self.scope.passage_cosines(self.vector, section).tolist()


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
