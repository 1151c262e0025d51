"""Where a look-up names what a section explains, that section leads.

A name is explained where the own heading has it, or where a paragraph, list item, table row or definition
begins with it (``--locked Assert that ...``); it is mentioned anywhere. Only questions of nothing but
identifiers are look-ups, and only the first ``LOOKED_AT_MAX`` candidates are read for it. Invariants: nothing
is added or lost; scores go on falling along the order; a file that is no longer as indexed explains nothing.
Called on the query pool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from mdmemd.search.definition_start import begins_with, looked_up
from mdmemd.search.query import Concept, ParsedQuery
from mdmemd.search.quote import Quoter
from mdmemd.search.ranking import Ranked, path_order
from mdmemd.search.weights import DEFINITION_BONUS
from mdmemd.text.tokens import terms

LOOKED_AT_MAX = 8
"""More than a usual page; each may cost the reading of a file."""


def explaining_first(ranked: Iterator[Ranked], *, query: ParsedQuery, quoter: Quoter) -> Iterator[Ranked]:
    """The candidates, those of the first few that explain what a look-up names raised."""
    names = looked_up(query)
    if not names:
        yield from ranked
        return
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
    return any(begins_with(source.slice(each.lines), names) for each in section.passages)
