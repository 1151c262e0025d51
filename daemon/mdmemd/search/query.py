"""What a person typed, taken apart: the concepts to look for, phrases to insist on, things to leave out.

Invariants: pure; every text is valid and means something or says that it does not (``concepts`` empty);
bounded: at most ``CONCEPTS_MAX`` spaced concepts and ``TERMS_MAX`` index terms whatever the length. A concept
is one thing asked for, however many index terms stand for it, so that the parts of one identifier never count
as several matches. Syntax, all optional: ``"exact phrase"``; ``-word`` and ``-"phrase"`` leave out; ``-x``
and ``--long-flag`` are flags. Called by ``searcher`` on the query pool. It looks nothing up: which terms
exist is the index's business.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from mdmemd.errors import InvalidRequestError
from mdmemd.search.stop_words import STOP_WORDS
from mdmemd.text.lexicon import HAN, PARTICLES, has_kana
from mdmemd.text.tokens import Unit, fold, has_unspaced, units

QUERY_CHARS_MAX = 32_768
"""A pasted stack trace fits; a pasted file is a mistake."""

CONCEPTS_MAX = 32
"""More words than this say nothing more about what is meant, and each costs a walk over its postings."""

TERMS_MAX = 64
"""Width of the index's bit mask of matched terms."""

ACRONYM_CHARS_MAX = 4
"""Shorter words in capitals (``GIL``, ``SAML``) are as often words of the language as names that only match
literally."""


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing asked for.

    Attributes:
        text: as typed, without surrounding punctuation.
        names: index terms that each name the whole of it.
        parts: index terms of its pieces; all of them together name it too, unless it is an identifier.
        is_identifier: whether its shape says that only the literal name is meant.
    """

    text: str
    names: tuple[str, ...]
    parts: tuple[str, ...]
    is_identifier: bool


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A question taken apart.

    Attributes:
        text: the question without syntax and exclusions, to be embedded and compared with titles.
        concepts: in the order asked, without repetitions; empty where nothing can be looked for.
        phrases: texts that a hit must hold, ``comparable``.
        excluded: concepts that a hit must not hold.
        excluded_phrases: texts that a hit must not hold, ``comparable``.
        unspaced_share: share of the concepts that are pairs of characters of a script without spaces, 0..1.
        chinese_share: share of the concepts that are such pairs of Chinese, 0..1.
        is_multilingual: whether the vectors are of a model that knows many scripts.
    """

    text: str
    concepts: tuple[Concept, ...]
    phrases: tuple[str, ...]
    excluded: tuple[Concept, ...]
    excluded_phrases: tuple[str, ...]
    unspaced_share: float
    chinese_share: float = 0.0
    is_multilingual: bool = False

    @property
    def identifier_share(self) -> float:
        """Share of the concepts that are identifiers, 0..1."""
        return sum(concept.is_identifier for concept in self.concepts) / max(1, len(self.concepts))


Words = Callable[[str], Sequence[Sequence[str]]]
"""The words of each run of Han characters in a text (``text.lexicon``)."""


def no_words(_: str) -> Sequence[Sequence[str]]:
    """Where no Chinese word is known, every pair of characters counts."""
    return ()


def parse_query(query: str, *, words: Words = no_words, is_multilingual: bool = False) -> ParsedQuery:
    """Take a question apart; ``InvalidRequestError`` where it is blank or exceeds ``QUERY_CHARS_MAX``."""
    if len(query) > QUERY_CHARS_MAX:
        raise InvalidRequestError(
            f"The question has {len(query):,} characters; at most {QUERY_CHARS_MAX:,} are accepted.",
            remedy="Ask with the few words or the error message that matter.",
        )
    clean = _printable(query)
    if not clean.strip():
        raise InvalidRequestError("The question is empty.", remedy="Say in a few words what to look for.")
    phrases, excluded_phrases, rest = _cut_phrases(clean)
    wanted, unwanted = _cut_exclusions(rest)
    if not phrases and not any(map(units, wanted)):
        wanted, unwanted = rest.split(), []  # nothing but exclusions: the dashes were not meant as such
    pieces = [*(piece for phrase in phrases for piece in phrase.split()), *wanted]
    found = _within_words(_concepts(pieces), clean, words)
    count = max(1, len(found))
    unspaced = [concept.text for concept in found if has_unspaced(concept.text)]
    return ParsedQuery(
        text=" ".join(pieces),
        concepts=_bounded(_without_stop_words(found)),
        phrases=tuple(map(comparable, phrases)),
        excluded=_bounded(_concepts([piece.removeprefix("-") for piece in unwanted])),
        excluded_phrases=tuple(map(comparable, excluded_phrases)),
        unspaced_share=len(unspaced) / count,
        chinese_share=0.0 if has_kana(clean) else sum(map(bool, map(HAN.fullmatch, unspaced))) / count,
        is_multilingual=is_multilingual,
    )


def comparable(text: str) -> str:
    """Folded, without emphasis and code marks, white space collapsed: how phrases and texts are compared."""
    return " ".join(fold(text.translate(_MARKUP)).split())


_MARKUP = str.maketrans("", "", "*`")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufeff\u200b\u2060]+")
_PHRASE = re.compile(r'(?<!\S)(-?)["“„]([^"“”„]+)["”“](?!\w)')
_EXCLUSION = re.compile(r"-[^\W\d_]{2}")


def _printable(query: str) -> str:
    """Control characters, lone surrogates and invisible joints become spaces: none of them can be meant."""
    return _CONTROL.sub(" ", unicodedata.normalize("NFC", query))


def _cut_phrases(query: str) -> tuple[list[str], list[str], str]:
    wanted: list[str] = []
    unwanted: list[str] = []
    for minus, phrase in _PHRASE.findall(query):
        if units(phrase):
            (unwanted if minus else wanted).append(" ".join(phrase.split()))
    return wanted, unwanted, _PHRASE.sub(" ", query)


def _cut_exclusions(rest: str) -> tuple[list[str], list[str]]:
    """Pieces to look for and to leave out. One dash and one letter is a flag, as two dashes are."""
    pieces = rest.split()
    is_exclusion = [_EXCLUSION.match(piece) is not None for piece in pieces]
    wanted = [piece for piece, excluded in zip(pieces, is_exclusion, strict=True) if not excluded]
    return wanted, [piece for piece, excluded in zip(pieces, is_exclusion, strict=True) if excluded]


def _concepts(pieces: Sequence[str]) -> list[Concept]:
    """The distinct concepts of the pieces, first occurrence first."""
    found: dict[tuple[str, ...], Concept] = {}
    for piece, following in zip_longest(pieces, pieces[1:], fillvalue=""):
        key = _assigned(piece, following)
        for unit in units(piece):
            is_identifier = unit.text == key or _is_identifier(unit, piece)
            concept = Concept(unit.text, unit.names, unit.parts, is_identifier)
            known = found.get(unit.names)
            if known is None or (concept.is_identifier and not known.is_identifier):
                found[unit.names] = concept
    return list(found.values())


def _within_words(concepts: list[Concept], text: str, words: Words) -> list[Concept]:
    """The concepts without pairs of characters that stand across the border of two Chinese words.

    Such a pair is found by chance, and rarely, so that it would weigh much. Two single characters, neither
    of them grammar, may be a word that is not known.
    """
    if not any(has_unspaced(concept.text) for concept in concepts):
        return concepts
    within: set[str] = set()
    across: set[str] = set()
    for run in words(fold(text)):
        within.update(pair for word in run for pair in map("".join, pairwise(word)))
        for first, second in pairwise(run):
            is_unknown = len(first) == len(second) == 1 and not {first, second} & PARTICLES
            (within if is_unknown else across).add(first[-1] + second[0])
    return [concept for concept in concepts if concept.text not in across - within] or concepts


_KEY = re.compile(r"([\w.-]+)=(?!=)")


def _assigned(piece: str, following: str) -> str:
    """The key of ``key=value`` or ``key = value``, else nothing: a setting is meant, whatever its shape."""
    if match := _KEY.match(piece):
        return match[1]
    return piece if following.startswith("=") and not following.startswith("==") else ""


_MIXED_CASE = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]")
_DIGIT_WITHIN = re.compile(r"[^\W\d_]\d|\d[^\W\d_]")


def _is_identifier(unit: Unit, piece: str) -> bool:
    """Whether a token has the shape of a name out of code: flag, snake, dotted, camel, call, constant."""
    text = unit.text
    if has_unspaced(text):
        return False
    if text.endswith(("++", "#")):
        return True  # another language than the letter before the sign
    if text.startswith(("-", "__")) or "_" in text.strip("_") or "::" in text or "." in text:
        return True
    if text.isupper():
        return len(text) > ACRONYM_CHARS_MAX
    if _MIXED_CASE.search(text) or _DIGIT_WITHIN.search(text):
        return True
    return f"{text}(" in piece or f"{text}!" in piece.rstrip("!?.")


def _without_stop_words(concepts: Sequence[Concept]) -> Sequence[Concept]:
    kept = [
        concept for concept in concepts if concept.is_identifier or concept.text.lower() not in STOP_WORDS
    ]
    return kept or concepts


def _bounded(concepts: Sequence[Concept]) -> tuple[Concept, ...]:
    """As many concepts as the limits allow; where parts do not fit any more, the names alone stay."""
    kept: list[Concept] = []
    terms = spaced = 0
    for concept in concepts:
        spaced += not has_unspaced(concept.text)
        if terms + len(concept.names) > TERMS_MAX or spaced > CONCEPTS_MAX:
            break
        parts = concept.parts if terms + len(concept.names) + len(concept.parts) <= TERMS_MAX else ()
        kept.append(Concept(concept.text, concept.names, parts, concept.is_identifier))
        terms += len(concept.names) + len(parts)
    return tuple(kept)
