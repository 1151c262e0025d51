"""Golden sets asked of the daemon itself: the same path as every question, and baselines beside it.

Invariants: the questions of a set are not kept as the user's; labels are checked before anything is asked;
costs a thread of the query pool for as long as it takes, but never holds up the end of the daemon
(``close``). Called on the query pool.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mdmemd.engine.question_log import QuestionLog
from mdmemd.engine.report import Answer
from mdmemd.engine.service import Service
from mdmemd.errors import InvalidRequestError, RefusedError
from mdmemd.evaluate.comparison import Comparison, compare
from mdmemd.evaluate.draft import draft
from mdmemd.evaluate.figures import Figures, Judged, figures
from mdmemd.evaluate.formats import parse_golden
from mdmemd.evaluate.golden import GoldenSet, SectionKey
from mdmemd.evaluate.judgement import Judgement, judge
from mdmemd.evaluate.plain_grep import grep
from mdmemd.evaluate.run import Answered, QuestionResult, RunSummary, judged, results, summary
from mdmemd.index.scope import Scope
from mdmemd.model import SearchMode
from mdmemd.ports import FileSystem
from mdmemd.search.assembly import hit_tokens
from mdmemd.search.page import Hit, Question
from mdmemd.search.query import parse_query
from mdmemd.search.quote import Quoter

DRAFT_HITS = 5
"""The section proposed, and those that may be it instead."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One run and what it is compared with; ``baselines`` are the figures of BM25 alone and of grep."""

    mode: SearchMode
    limit: int
    questions: tuple[QuestionResult, ...]
    summary: RunSummary
    baselines: tuple[Figures, ...]
    comparison: Comparison | None
    notes: tuple[str, ...]


class Evaluator:
    """Runs golden sets and drafts them."""

    def __init__(self, service: Service, *, files: FileSystem, asked: QuestionLog) -> None:
        self._service = service
        self._files = files
        self._asked = asked
        self._is_closed = False

    def close(self) -> None:
        """End what is running: the process waits for the threads of the pool. Any thread."""
        self._is_closed = True

    def run(
        self,
        golden_text: str,
        *,
        roots: tuple[str, ...] = (),
        mode: SearchMode = SearchMode.HYBRID,
        limit: int = 10,
        baselines: bool = True,
        before: Sequence[Judged] = (),
    ) -> Evaluation:
        """Ask every question of the file ``golden_text``; ``before`` is an earlier run to compare with.

        Raises ``InvalidRequestError`` where the set cannot be read or a label names no section, and
        ``NotFoundError`` for an unknown root.
        """
        golden = parse_golden(golden_text)
        scope, folders = self._service.scope(roots)
        judgements = judge(golden, _sections(scope))
        notes: list[str] = []
        found = results(golden, judgements, self._ask(golden, roots, mode, limit, notes))
        rows: list[Figures] = []
        if baselines:
            words = results(golden, judgements, self._ask(golden, roots, SearchMode.KEYWORD, limit, []))
            rows += figures("bm25", judged(words))
            quoter = Quoter(files=self._files, folders=folders)
            grepped = _grepped(golden, judgements, self._texts(scope, quoter), limit)
            if quoter.is_exhausted:
                notes.append("the files are too large for a grep of all of them: it is left out")
            else:
                rows += figures("grep", grepped)
        if golden.unchecked:
            notes.append(f"proposals that nobody has checked, left out: {golden.unchecked}")
        return Evaluation(
            mode=mode,
            limit=limit,
            questions=found,
            summary=summary(mode.value, found),
            baselines=tuple(rows),
            comparison=compare(before, judged(found)) if before else None,
            notes=tuple(notes),
        )

    def draft(self, *, roots: tuple[str, ...] = (), questions_max: int) -> str:
        """A golden set file of the latest questions that were asked, as proposals.

        Raises ``InvalidRequestError`` where no question is kept.
        """
        asked = self._asked.latest(questions_max)
        if not asked:
            raise InvalidRequestError(
                "No question is kept yet." if self._asked.is_on else "Questions are not kept.",
                remedy="Search for a while first."
                if self._asked.is_on
                else "Set keep_questions = true in [search] of config.toml, and restart the daemon.",
            )
        answers = [(query, self._answer(query, roots, SearchMode.HYBRID, DRAFT_HITS)) for query in asked]
        return draft(
            [
                (query, parse_query(query).identifier_share == 1.0, tuple(map(_key, answer.hits)))
                for query, answer in answers
                if answer.hits
            ]
        )

    def _ask(
        self, golden: GoldenSet, roots: tuple[str, ...], mode: SearchMode, limit: int, notes: list[str]
    ) -> dict[str, Answered]:
        answers = {each.name: self._answer(each.query, roots, mode, limit) for each in golden.questions}
        degraded = {answer.state.degraded for answer in answers.values()} - {None}
        notes += sorted(f"not every answer was {mode.value}: {reason}" for reason in degraded)
        if any(not answer.state.fresh for answer in answers.values()):
            notes.append("some answers did not have the latest changes on disk")
        state = next(iter(answers.values())).state
        if state.embedded < state.passages:
            notes.append(f"only {state.embedded:,} of {state.passages:,} passages are embedded")
        return {name: _answered(answer) for name, answer in answers.items()}

    def _answer(self, query: str, roots: tuple[str, ...], mode: SearchMode, limit: int) -> Answer:
        self._check_open()
        return self._service.answer(Question(query, limit=limit, mode=mode), roots=roots)

    def _texts(self, scope: Scope, quoter: Quoter) -> Iterator[tuple[SectionKey, str]]:
        """Every section with its text; files that changed meanwhile are left out."""
        for root, snapshot in scope.roots:
            for document in snapshot.iter_documents():
                self._check_open()
                source = quoter.source(root, document)
                if source is not None:
                    for section in document.sections:
                        key = SectionKey(root, document.path, section.heading_path)
                        yield key, source.slice(section.lines)

    def _check_open(self) -> None:
        if self._is_closed:
            raise RefusedError("The daemon is stopping.", remedy="Ask again: that starts it.")


def _sections(scope: Scope) -> Iterator[SectionKey]:
    for root, snapshot in scope.roots:
        for document in snapshot.iter_documents():
            for section in document.sections:
                yield SectionKey(root, document.path, section.heading_path)


def _grepped(
    golden: GoldenSet,
    judgements: dict[str, Judgement],
    texts: Iterable[tuple[SectionKey, str]],
    limit: int,
) -> list[Judged]:
    asked = [question for question in golden.questions if question.is_answerable]
    pages = grep([question.query for question in asked], texts, limit=limit)
    return [
        Judged(each.name, each.kind, judgements[each.name].rank(page), judgements[each.name].ndcg(page))
        for each, page in zip(asked, pages, strict=True)
    ]


def _answered(answer: Answer) -> Answered:
    excerpts = [hit.excerpt.text for hit in answer.hits[:1] if hit.excerpt is not None]
    return Answered(
        hits=tuple(key for hit in answer.hits for key in _keys(hit)),
        excerpt="".join(excerpts),
        tokens=sum(map(hit_tokens, answer.hits)),
        took_ms=answer.state.took_ms,
    )


def _keys(hit: Hit) -> list[SectionKey]:
    """The hit, and the sections with the same text that the page names with it."""
    return [_key(hit), *(SectionKey(each.root, each.path, each.heading_path) for each in hit.also_in)]


def _key(hit: Hit) -> SectionKey:
    return SectionKey(hit.root, hit.path, hit.heading_path)
