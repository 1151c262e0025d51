"""What one hit may quote: its section; the first hit also the parts beside it, where a section was cut.

The part that ranks best need not be the one with the sentence that answers. Invariants: the lines are one run
of the document, all of one section; no passage comes twice, though the parts of a file without headings
overlap. Immutable; made on the query pool for the few hits of a page.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from mdmemd.index.scope import SectionHandle
from mdmemd.index.snapshot import PassageRecord
from mdmemd.model import LineRange
from mdmemd.search.matched_passage import PassageScores, QuestionWords, passage_scores
from mdmemd.text.source import SourceText
from mdmemd.text.tokens import terms

PARTS_EACH_SIDE = 2
"""Parts on either side that are looked at: a part has some 800 tokens, and a file may have hundreds."""


DEFINED_SHARE = 0.8
"""Share of the question that a heading names which is what the question asks for; 0.6 to 0.99 are alike."""


@dataclass(frozen=True, slots=True)
class Quotable:
    """The lines that may be quoted with their ``passages`` and what those are worth."""

    lines: LineRange
    passages: tuple[PassageRecord, ...]
    scores: PassageScores
    words: QuestionWords


def quotable(
    section: SectionHandle,
    source: SourceText,
    *,
    words: QuestionWords,
    cosines: Callable[[SectionHandle], list[float]],
    with_parts: bool,
) -> Quotable:
    """What a hit on ``section`` may quote, ``with_parts`` also of the parts beside it.

    ``cosines`` gives those of a section's passages, or none.
    """
    parts = _parts_around(section) if with_parts else [section]
    known: dict[PassageRecord, float] = {}
    for part in parts:
        found = cosines(part) or [math.nan] * len(part.passages)
        known |= zip(part.passages, found, strict=True)
    passages = tuple(sorted(known, key=lambda passage: passage.lines))
    scores = passage_scores(
        source,
        passages,
        words=words,
        cosines=[known[each] for each in passages],
        first_defines=_begins_with_definition(parts[0], words),
    )
    lines = LineRange(parts[0].record.lines.first, max(part.record.lines.last for part in parts))
    return Quotable(lines, passages, scores, words)


def _begins_with_definition(first: SectionHandle, words: QuestionWords) -> bool:
    """Whether the heading names what is asked for, so that the text begins by saying what that is."""
    if first.record.part not in (None, 1):
        return False
    heading = terms(" ".join(first.record.heading_path[-1:]))
    return words.share(words.among(heading)) >= DEFINED_SHARE


def _parts_around(section: SectionHandle) -> list[SectionHandle]:
    """The section and the parts beside it, in the order of the document."""
    found = [section]
    if section.record.part is None:
        return found
    sections = len(section.document.view.segment.sections_of(section.document.number))
    for step in (-1, 1):
        for distance in range(1, PARTS_EACH_SIDE + 1):
            index = section.index + step * distance
            if not 0 <= index < sections:
                break
            near = replace(section, index=index)
            if near.record.part is None or near.record.heading_path != section.record.heading_path:
                break
            found.append(near)
    return sorted(found, key=lambda part: part.index)
