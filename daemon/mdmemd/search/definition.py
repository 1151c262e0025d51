"""Where a look-up names what a section explains, that section leads.

A name is explained where the own heading has it, or where a paragraph, list item, table row or definition
begins with it (``--locked Assert that ...``); it is mentioned anywhere. Only questions of nothing but
identifiers are look-ups, and only the first ``LOOKED_AT_MAX`` candidates are read for it. Invariants: nothing
is added or lost; scores go on falling along the order; a file that is no longer as indexed explains nothing.
Called on the query pool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from mdmemd.search.query import Concept, ParsedQuery
from mdmemd.search.quote import Quoter
from mdmemd.search.ranking import Ranked, path_order
from mdmemd.search.weights import DEFINITION_BONUS
from mdmemd.text.tokens import fold, terms

LOOKED_AT_MAX = 8
"""More than a usual page; each may cost the reading of a file."""

_MARKUP = re.compile(r"(?:<[^>]*>|\d+[.)]\s|[^\w-]|-(?![\w-]))*")
"""What may stand before the first word of a block: list marks, emphasis, code marks, brackets, table bars,
tags of HTML."""

_WORD_GOES_ON = re.compile(r"[\w-]")

_START_CHARS = 500
"""Enough for marks, tags with their attributes and a long name."""


def explaining_first(ranked: Iterator[Ranked], *, query: ParsedQuery, quoter: Quoter) -> Iterator[Ranked]:
    """The candidates, those of the first few that explain what a look-up names raised."""
    if query.identifier_share < 1.0:
        yield from ranked
        return
    names = [fold(concept.text) for concept in query.concepts]
    first = [
        replace(each, score=each.score + DEFINITION_BONUS, defines=DEFINITION_BONUS)
        if _is_headed(each, query.concepts) or _begins_a_block(each, names, quoter)
        else each
        for each in islice(ranked, LOOKED_AT_MAX)
    ]
    yield from sorted(first, key=lambda each: (-each.score, path_order(each)))
    yield from ranked


def _is_headed(ranked: Ranked, concepts: Sequence[Concept]) -> bool:
    heading_path = ranked.section.record.heading_path
    held = set(terms(heading_path[-1])) if heading_path else set()
    return any(held.intersection(concept.names) for concept in concepts)


def _begins_a_block(ranked: Ranked, names: Sequence[str], quoter: Quoter) -> bool:
    section = ranked.section
    source = quoter.source(section.root, section.document)
    if source is None:
        return False
    return any(_begins(source.slice(each.lines), names) for each in section.passages)


def _begins(text: str, names: Sequence[str]) -> bool:
    start = fold(text[:_START_CHARS])
    mark = _MARKUP.match(start)
    rest = start[mark.end() :] if mark else start
    return any(rest.startswith(name) and not _WORD_GOES_ON.match(rest, len(name)) for name in names)
