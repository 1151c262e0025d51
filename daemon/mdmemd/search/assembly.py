"""From the order of sections to the hits of a page.

The first comes with the excerpt that answers, the others are pointers. Invariants: a section comes onto the
page only if its file is still what was indexed, and holds every phrase and none of the excluded ones; of the
parts of one section the best speaks for all; the third copy of a text comes only where nothing else is left,
with the score of what it stands behind; at most ``SECTIONS_READ_MAX`` sections are read. Called on the
query pool, one ``Quoter`` a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from mdmemd.model import LineRange
from mdmemd.search.copies import Copies
from mdmemd.search.excerpt import excerpt_lines, pointer_text
from mdmemd.search.matched_passage import matched_passage
from mdmemd.search.page import Excerpt, Hit
from mdmemd.search.query import ParsedQuery, comparable
from mdmemd.search.quote import Quoter
from mdmemd.search.ranking import Ranked
from mdmemd.search.weights import SECTIONS_READ_MAX
from mdmemd.text.source import SourceText
from mdmemd.text.token_estimate import estimate_tokens


def assemble(
    ranked: Iterable[Ranked], *, quoter: Quoter, query: ParsedQuery, idf: Sequence[float], limit: int
) -> tuple[Hit, ...]:
    """Up to ``limit`` hits in the order given; ``idf`` weighs the concepts of ``query``."""
    hits: list[Hit] = []
    for each, source in islice(_admitted(ranked, quoter=quoter, query=query), limit):
        score = min(each.score, hits[-1].score) if hits else each.score
        hit = _hit(each, source, query=query, idf=idf, is_first=not hits)
        hits.append(replace(hit, score=score))
    return tuple(hits)


def _admitted(
    ranked: Iterable[Ranked], *, quoter: Quoter, query: ParsedQuery
) -> Iterator[tuple[Ranked, SourceText]]:
    """The sections that may stand on the page, with their files; surplus copies after all others."""
    taken: set[tuple[str, str, tuple[str, ...]]] = set()
    copies = Copies()
    held_back: list[Ranked] = []
    for each in islice(ranked, SECTIONS_READ_MAX):
        section = each.section
        key = (section.root, section.document.path, section.record.heading_path)
        if key in taken:
            continue
        source = quoter.source(section.root, section.document)
        if source is None or not _holds(source, section.record.lines, query):
            continue
        taken.add(key)
        if copies.is_surplus(source.slice(section.record.lines)):
            held_back.append(each)
        else:
            yield each, source
    for each in held_back:
        source = quoter.source(each.section.root, each.section.document)
        if source is not None:
            yield each, source


def _holds(source: SourceText, lines: LineRange, query: ParsedQuery) -> bool:
    if not query.phrases and not query.excluded_phrases:
        return True
    text = comparable(source.slice(lines))
    return all(phrase in text for phrase in query.phrases) and not any(
        phrase in text for phrase in query.excluded_phrases
    )


def _hit(
    each: Ranked, source: SourceText, *, query: ParsedQuery, idf: Sequence[float], is_first: bool
) -> Hit:
    section = each.section
    passages = section.passages
    excerpt: Excerpt | None = None
    pointer: str | None = None
    anchor = (
        matched_passage(source, passages, concepts=query.concepts, idf=idf, chosen=each.passage)
        if passages
        else 0
    )
    if is_first:
        lines = excerpt_lines(
            section.record, passages, anchor=anchor, tokens=lambda lines: estimate_tokens(source.slice(lines))
        )
        excerpt = Excerpt(lines, source.slice(lines))
    elif passages:
        pointer = pointer_text(source.slice(passages[anchor].lines))
    return Hit(
        root=section.root,
        path=section.document.path,
        heading_path=section.record.heading_path,
        part=section.record.part,
        lines=section.record.lines,
        tokens=section.record.tokens,
        score=each.score,
        excerpt=excerpt,
        matched_passage=pointer,
        kind=section.document.kind.value,
    )
