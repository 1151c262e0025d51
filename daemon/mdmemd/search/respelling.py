"""What somebody who mistyped a word may have meant: the nearest words that the files really have.

Looked for where no section of the roots has the word, in any form; it changes nothing of the answer. Each
suggestion is given as a file writes it, so that it can be asked for, and was found behind the filter of the
question. Numbers are never mistyped here: another number is another thing. Bounded: so many words a question,
one look at the terms of the index each, and a few sections read. Called on the query pool.
"""

from __future__ import annotations

import numpy as np

from mdmemd.index.near_terms import NearTerm
from mdmemd.index.scope import Scope
from mdmemd.search.keyword_evidence import KeywordEvidence
from mdmemd.search.page import Respelling
from mdmemd.search.query import Concept, ParsedQuery
from mdmemd.search.quote import Quoter
from mdmemd.text.tokens import has_unspaced, written

WORDS_MAX = 2
"""Each costs some 9 ms over 100,000 sections (``index.near_terms``)."""

TERMS_MAX = 500_000
"""In larger indexes only the identifiers of a question that has other evidence are looked at."""

SPELLINGS_MAX = 3
"""Suggestions for a word: who sees more must search himself."""

TERMS_READ_MAX = 6
SECTIONS_READ_MAX = 3
"""A term may be a root of words, which nobody writes: so many are tried, in so many sections each."""

WORD_LETTERS_MIN = 5
IDENTIFIER_LETTERS_MIN = 4
"""Shorter ones have neighbours that are other words."""

TWO_EDITS_LETTERS_MIN = 8
"""From so many letters on two slips are forgiven, below one."""


def respellings(
    scope: Scope, query: ParsedQuery, evidence: KeywordEvidence, quoter: Quoter
) -> tuple[Respelling, ...]:
    """The words of the question that nobody wrote and that resemble one that somebody did."""
    unknown = [query.concepts[position] for position in evidence.unknown()]
    if len(evidence.matches.refs) and scope.terms > TERMS_MAX:
        unknown = [concept for concept in unknown if concept.is_identifier]
    found = [
        Respelling(concept.text, _spellings(scope, concept, quoter))
        for concept in [each for each in unknown if _may_be_mistyped(each)][:WORDS_MAX]
    ]
    return tuple(each for each in found if each.written)


def _may_be_mistyped(concept: Concept) -> bool:
    letters = sum(map(str.isalpha, concept.text))
    least = IDENTIFIER_LETTERS_MIN if concept.is_identifier else WORD_LETTERS_MIN
    return letters >= least and not has_unspaced(concept.text)


def _spellings(scope: Scope, concept: Concept, quoter: Quoter) -> tuple[str, ...]:
    """The nearest words, as written, those of the most sections first."""
    found: dict[str, int] = {}
    for each in _near(scope, concept)[:TERMS_READ_MAX]:
        if found and each.edits > min(found.values()):
            break
        spelling = _spelling(scope, each, quoter)
        if spelling is not None:
            found.setdefault(spelling, each.edits)
    return tuple(found)[:SPELLINGS_MAX]


def _near(scope: Scope, concept: Concept) -> list[NearTerm]:
    """The terms near any name of it that may be meant, nearest first."""
    near = [
        term
        for name in concept.names
        for term in scope.near_terms(name, edits=2 if len(name) >= TWO_EDITS_LETTERS_MIN else 1)
        if _digits(term.text) == _digits(name)
        # seldom is the first letter wrong (Kukich 1992, "Techniques for Automatically Correcting Words")
        and (concept.is_identifier or term.text[0] == name[0])
    ]
    return sorted(near, key=lambda each: each.edits)


def _digits(text: str) -> list[str]:
    return list(filter(str.isdigit, text))


def _spelling(scope: Scope, term: NearTerm, quoter: Quoter) -> str | None:
    """How a file writes the term; ``None`` where none of the sections that are read does."""
    refs = term.refs[np.argsort(scope.place_keys(term.refs), kind="stable")[:SECTIONS_READ_MAX]]
    return next((word for ref in refs.tolist() if (word := _word(scope, ref, term.text, quoter))), None)


def _word(scope: Scope, ref: int, term: str, quoter: Quoter) -> str | None:
    section = scope.section(ref)
    text = quoter.text(section.root, section.document, section.record.lines)
    if text is None:
        return None
    headings = section.record.heading_path
    return written("\n".join((text, *headings, section.document.title, section.document.path)), term)
