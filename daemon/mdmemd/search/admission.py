"""Which of the ranked sections may stand on a page, with their files: one stream for all pages of a question.

Invariants: a section passes only if its file is still what was indexed, and if it holds every phrase and none
of the excluded ones; of the parts of one section the best speaks for all; the third near copy of a text comes
only where nothing else is left; at most ``SECTIONS_READ_MAX`` sections are read. The stream is the same for
equal indexes and files, so that a position in it can be a cursor. Lazy; called on the query pool, one
``Quoter`` a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from mdmemd.model import LineRange
from mdmemd.search.copies import Copies
from mdmemd.search.query import ParsedQuery, comparable
from mdmemd.search.quote import Quoter
from mdmemd.search.ranking import Ranked
from mdmemd.search.weights import SECTIONS_READ_MAX
from mdmemd.text.source import SourceText


@dataclass(frozen=True, slots=True)
class Admitted:
    """One section of the stream.

    Attributes:
        position: a page that begins with this one has all those of a smaller position behind it.
        copy_of: position of the first section with exactly this text, if there was one.
    """

    position: int
    ranked: Ranked
    source: SourceText
    copy_of: int | None = None


def admitted(ranked: Iterable[Ranked], *, quoter: Quoter, query: ParsedQuery) -> Iterator[Admitted]:
    """The sections that may stand on a page; surplus copies after all others. Positions count from 0."""
    taken: set[tuple[str, str, tuple[str, ...]]] = set()
    copies = Copies()
    texts: dict[str, int] = {}
    held_back: list[tuple[Ranked, SourceText]] = []
    position = 0
    for each in islice(ranked, SECTIONS_READ_MAX):
        section = each.section
        key = (section.root, section.document.path, section.record.heading_path)
        source = None if key in taken else quoter.source(section.root, section.document)
        if source is None or not holds(source, section.record.lines, query):
            continue
        taken.add(key)
        text = source.slice(section.record.lines).rstrip()
        known = texts.setdefault(text, position)
        if known == position and copies.is_surplus(text):
            texts.pop(text)
            held_back.append((each, source))
        else:
            yield Admitted(position, each, source, known if known != position else None)
            position += 1
    for each, source in held_back:
        yield Admitted(position, each, source)
        position += 1


def admitted_exactly(
    ranked: Iterable[Ranked], *, quoter: Quoter, query: ParsedQuery, start: int
) -> Iterator[Admitted]:
    """Every section, parts and copies included, from the position ``start`` of the ranking on."""
    for position, each in enumerate(islice(ranked, start, None), start):
        source = quoter.source(each.section.root, each.section.document)
        if source is not None and holds(source, each.section.record.lines, query):
            yield Admitted(position, each, source)


def holds(source: SourceText, lines: LineRange, query: ParsedQuery) -> bool:
    """Whether these lines hold every phrase of the question and none that it excludes."""
    if not query.phrases and not query.excluded_phrases:
        return True
    text = comparable(source.slice(lines))
    return all(phrase in text for phrase in query.phrases) and not any(
        phrase in text for phrase in query.excluded_phrases
    )
