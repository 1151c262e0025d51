"""Golden sets: labelled questions asked of the daemon, and what came of it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from mdmem_proto.limits import DRAFT_QUESTIONS_MAX, GOLDEN_CHARACTERS_MAX
from mdmem_proto.messages.values import HitLimit, Message, Mode, RootNames

GoldenText = Annotated[str, Meta(max_length=GOLDEN_CHARACTERS_MAX)]
DraftCount = Annotated[int, Meta(ge=1, le=DRAFT_QUESTIONS_MAX)]


class EvalSection(Message, frozen=True, omit_defaults=False):
    """A section, whatever its parts."""

    root: str
    path: str
    heading_path: tuple[str, ...]


class EvalQuestion(Message, frozen=True, omit_defaults=False):
    """One question of a run.

    ``rank`` counts from 1 and is null where no section that answers is on the page. ``right`` is whether it
    is the first, or the page empty where that is the right answer, and null where neither is asked for.
    ``expected`` are the labels as a person names them, ``above`` the first sections that stood higher.
    ``answer_held`` tells whether the excerpt holds the golden answer, null where none is given or another
    section was first; ``page_held`` whether anything that the default answer quotes does, null where none is
    given or no section that answers is on it. ``tokens`` are those of the default answer.
    """

    name: str
    query: str
    kind: str
    rank: int | None
    ndcg5: float
    answerable: bool
    right: bool | None
    expected: tuple[str, ...]
    above: tuple[EvalSection, ...]
    answer_held: bool | None
    took_ms: float
    tokens: int
    page_held: bool | None = None


class EvalFigures(Message, frozen=True, omit_defaults=False):
    """Means over the answerable questions of a kind (``all``: of every kind), each 0 to 1.

    ``system`` is the mode that was asked for, or a baseline: ``bm25``, ``grep``.
    """

    system: str
    kind: str
    questions: int
    mrr: float
    hit1: float
    hit3: float
    hit5: float
    hit10: float
    ndcg5: float


class EvalDifference(Message, frozen=True, omit_defaults=False):
    """A measure in both runs, and the 95 % interval of the difference over questions."""

    measure: str
    before: float
    after: float
    low: float
    high: float


class EvalChange(Message, frozen=True, omit_defaults=False):
    """A question whose rank changed."""

    name: str
    before: int | None
    after: int | None


class EvalComparison(Message, frozen=True, omit_defaults=False):
    """Two runs, question by question; ``unpaired`` are in one of them only."""

    questions: int
    unpaired: int
    differences: tuple[EvalDifference, ...]
    changes: tuple[EvalChange, ...]


class EvalResult(Message, frozen=True, omit_defaults=False):
    """One run. ``empty_right`` of ``empty_wanted`` questions got the empty page that is right for them.

    ``answers_held`` of ``answers_known`` first hits hold the golden answer in their excerpt, and
    ``pages_held`` of ``pages_known`` default answers with a section that answers hold it anywhere. ``tokens``
    is the mean cost of a default answer, times are of the daemon for a page of ``limit`` hits.
    """

    mode: str
    limit: int
    figures: tuple[EvalFigures, ...]
    empty_wanted: int
    empty_right: int
    answers_known: int
    answers_held: int
    tokens: float
    took_p50_ms: float
    took_p95_ms: float
    questions: tuple[EvalQuestion, ...]
    comparison: EvalComparison | None
    notes: tuple[str, ...]
    pages_known: int = 0
    pages_held: int = 0
    tokens_median: int = 0
    tokens_p95: int = 0
    tokens_max: int = 0


class EvalParams(Message, frozen=True):
    """``eval``: ask every question of the golden set whose file has the text ``golden``.

    ``baselines`` asks BM25 alone and a plain grep as well; ``before`` is an earlier run to compare with.
    """

    golden: GoldenText
    roots: RootNames = ()
    mode: Mode = "hybrid"
    limit: HitLimit = 10
    baselines: bool = True
    before: EvalResult | None = None


class EvalDraftParams(Message, frozen=True):
    """``eval.draft``: propose a golden set from the latest questions that were asked."""

    roots: RootNames = ()
    questions: DraftCount = 50


class EvalDraftResult(Message, frozen=True, omit_defaults=False):
    """The text of a golden set file."""

    golden: str
