"""Golden sets asked of the daemon itself: the same path as every question, and baselines beside it.

Invariants: the questions of a set are not kept as the user's; labels are checked before anything is asked;
costs a thread of the query pool for as long as it takes, but never holds up the end of the daemon
(``close``) and ends with its request (``Watch.cancelled``). What is quoted and what that costs is judged by
the answer that a caller gets who sets nothing, ranks by a page as deep as asked. Called on the query pool.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

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
from mdmemd.search.page import HITS_DEFAULT, Hit, Question
from mdmemd.search.query import parse_query
from mdmemd.search.quote import Quoter

DRAFT_HITS = 5
"""The section proposed, and those that may be it instead."""

Progress = Callable[[int, int], None]
"""Told questions asked, and how many there are."""


@dataclass(slots=True)
class Watch:
    """Who waits for a run: is told of its progress, and may end it by ``cancelled``."""

    progress: Progress = lambda _done, _total: None
    cancelled: threading.Event = field(default_factory=threading.Event)
    done: int = 0
    total: int = 0

    def asked(self) -> None:
        """One question more."""
        self.done += 1
        self.progress(self.done, self.total)


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
        watch: Watch | None = None,
    ) -> Evaluation:
        """Ask every question of the file ``golden_text``; ``before`` is an earlier run to compare with.

        Raises ``InvalidRequestError`` where the set cannot be read or a label names no section,
        ``NotFoundError`` for an unknown root, and ``RefusedError`` when it is cancelled.
        """
        watch = watch or Watch()
        golden = parse_golden(golden_text)
        rounds = 1 + (limit != HITS_DEFAULT) + baselines
        watch.total = len(golden.questions) * rounds
        scope, folders = self._service.scope(roots)
        judgements = judge(golden, _sections(scope))
        notes: list[str] = []
        ranked = self._ask(golden, roots, mode, limit, watch)
        notes += _caveats(ranked.values(), mode)
        found = results(golden, judgements, self._answered(ranked, roots, mode, limit, watch))
        rows: list[Figures] = []
        if baselines:
            by_words = self._ask(golden, roots, SearchMode.KEYWORD, limit, watch)
            pages = {name: Answered(_sections_of(page), 0.0) for name, page in by_words.items()}
            rows += figures("bm25", judged(results(golden, judgements, pages)))
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
        watch = Watch()
        answers = [
            (query, self._answer(query, roots, SearchMode.HYBRID, DRAFT_HITS, watch)) for query in asked
        ]
        return draft(
            [
                (query, parse_query(query).identifier_share == 1.0, tuple(map(_key, answer.hits)))
                for query, answer in answers
                if answer.hits
            ]
        )

    def _ask(
        self, golden: GoldenSet, roots: tuple[str, ...], mode: SearchMode, limit: int, watch: Watch
    ) -> dict[str, Answer]:
        """The page of each question, by its name."""
        answers: dict[str, Answer] = {}
        for question in golden.questions:
            answers[question.name] = self._answer(question.query, roots, mode, limit, watch)
        return answers

    def _answered(
        self,
        ranked: Mapping[str, Answer],
        roots: tuple[str, ...],
        mode: SearchMode,
        limit: int,
        watch: Watch,
    ) -> dict[str, Answered]:
        """The same with what the default answer to each question quotes."""
        found: dict[str, Answered] = {}
        for name, page in ranked.items():
            shown = page
            if limit != HITS_DEFAULT:
                shown = self._answer(page.query, roots, mode, HITS_DEFAULT, watch)
            quoted = [_quoted(hit) for hit in shown.hits]
            found[name] = Answered(
                hits=_sections_of(page),
                took_ms=page.state.took_ms,
                shown=_sections_of(shown),
                excerpt=quoted[0] if quoted else "",
                text="\n".join(quoted),
                tokens=sum(map(hit_tokens, shown.hits)),
            )
        return found

    def _answer(
        self, query: str, roots: tuple[str, ...], mode: SearchMode, limit: int, watch: Watch
    ) -> Answer:
        self._check_open()
        if watch.cancelled.is_set():
            raise RefusedError("The evaluation was cancelled.")
        answer = self._service.answer(Question(query, limit=limit, mode=mode), roots=roots)
        watch.asked()
        return answer

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


def _caveats(answers: Iterable[Answer], mode: SearchMode) -> Iterator[str]:
    """Why a run may say less than it seems to."""
    states = [answer.state for answer in answers]
    for reason in sorted({state.degraded for state in states if state.degraded is not None}):
        yield f"not every answer was {mode.value}: {reason}"
    if any(not state.fresh for state in states):
        yield "some answers did not have the latest changes on disk"
    if states and states[0].embedded < states[0].passages:
        yield f"only {states[0].embedded:,} of {states[0].passages:,} passages are embedded"


def _sections_of(answer: Answer) -> tuple[SectionKey, ...]:
    return tuple(key for hit in answer.hits for key in _keys(hit))


def _quoted(hit: Hit) -> str:
    """What a reader sees of a section."""
    return hit.excerpt.text if hit.excerpt is not None else hit.matched_passage or ""


def _keys(hit: Hit) -> list[SectionKey]:
    """The hit, and the sections with the same text that the page names with it."""
    return [_key(hit), *(SectionKey(each.root, each.path, each.heading_path) for each in hit.also_in)]


def _key(hit: Hit) -> SectionKey:
    return SectionKey(hit.root, hit.path, hit.heading_path)
