"""The best candidates once more, by a model that reads question and text together. Off unless configured.

Of each candidate the passage that the vectors chose is read (else its first), with its breadcrumb, from the
file as it is now. Invariants: nothing is added or lost, only the order of the first ``RERANKED_MAX`` changes;
scores go on falling along the order, so they are those of fusion handed out anew; without the model, or time,
the order stays and the reason is given. Called on the query pool.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice

from mdmemd.errors import ModelUnavailableError
from mdmemd.ports import Reranker
from mdmemd.search.quote import Quoter
from mdmemd.search.ranking import Ranked

RERANKED_MAX = 20
"""Twice a usual page: what stands lower is hardly ever the answer, and each costs a run of the model."""

RERANK_SECONDS = 0.4
"""Within what a person takes for at once; a small cross-encoder reads twenty passages in less."""


def rerank(
    ranked: Iterator[Ranked], *, question: str, quoter: Quoter, reranker: Reranker
) -> tuple[Iterator[Ranked], str | None]:
    """The candidates in their new order, and why that is not wholly the model's, if so."""
    first = list(islice(ranked, RERANKED_MAX))
    if len(first) < 2:
        return chain(first, ranked), None
    texts = [_text(each, quoter) for each in first]
    try:
        scores = reranker.scores(question, texts, seconds=RERANK_SECONDS)
    except ModelUnavailableError as error:
        return chain(first, ranked), f"not reranked: {error}"
    order = sorted(range(len(scores)), key=lambda position: -scores[position])
    best = [
        replace(first[position], score=bearer.score, moved=bearer.score - first[position].score)
        for position, bearer in zip(order, first, strict=False)
    ]
    in_time = len(scores) == len(first)
    reason = None if in_time else f"only the best {len(scores)} of {len(first)} were reranked in time"
    return chain(best, first[len(scores) :], ranked), reason


def _text(each: Ranked, quoter: Quoter) -> str:
    """What the model reads of a candidate; its breadcrumb alone where the file is no longer as indexed."""
    section = each.section
    breadcrumb = " > ".join(section.record.heading_path) or section.document.title
    if not section.passages:
        return breadcrumb
    lines = section.passages[each.passage or 0].lines
    return f"{breadcrumb}: {quoter.text(section.root, section.document, lines) or ''}"
