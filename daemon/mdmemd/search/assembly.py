"""From the stream of admitted sections to the hits of one page, packed into its budget of tokens.

The first comes with the excerpt that answers, the second too where it is as good, the others are pointers
with what matched. Invariants: the budget goes first to the first excerpt, pointers take at most half of it; a
page has at least one hit where there is any; with a budget that the caller set, hits that do not fit are
left to the next page, and what fits is spent; without one, only what may answer is quoted, and every hit is
on the page; exactly equal texts are one hit that names the other places. Called on the query pool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from mdmemd.index.scope import SectionHandle
from mdmemd.model import LineRange, SearchMode
from mdmemd.search.admission import Admitted
from mdmemd.search.excerpt import choose_excerpt
from mdmemd.search.outline import whole_sections
from mdmemd.search.page import Contribution, Excerpt, Hit, Place, Question
from mdmemd.search.page_share import POINTER_TOKENS_MIN, pointer_rooms
from mdmemd.search.pointer_text import pointer_text
from mdmemd.search.quotable import Quotable
from mdmemd.search.ranking import Ranked
from mdmemd.text.source import SourceText
from mdmemd.text.token_estimate import estimate_tokens

PAGE_TOKENS = 500
"""What a page costs where the caller says nothing."""

EXPANDED_TOKENS = 2_000
"""The same for whole sections."""

EXCERPT_TOKENS = 400
"""What the first excerpt may cost on a page whose caller set no budget, however many pointers follow. On the
labelled sets it costs half of that; 300 hold 4 answers of 134 fewer, 500 hold no more."""

SECOND_EXCERPT_TOKENS_MIN = 80
"""Room from which the second hit is quoted verbatim."""

LISTED_TOKENS = 25
"""Beside each section of a list of all that match."""

QuotableOf = Callable[[SectionHandle, SourceText, bool], Quotable]
"""What a section may quote, as the first hit or as another."""

Explain = Callable[[Ranked], tuple[Contribution, ...]]


@dataclass(frozen=True, slots=True)
class Assembled:
    """The hits of a page, and the position of the first section that is not on it, if there is one."""

    hits: tuple[Hit, ...]
    following: int | None


@dataclass(slots=True)
class _Entry:
    """One hit in the making: ``bare`` says where it stands and quotes nothing."""

    admitted: Admitted
    quotable: Quotable
    bare: Hit
    ends_at: int
    places: list[Place] = field(default_factory=list)

    def quoted(self, tokens_max: int, *, is_sparing: bool = False) -> Hit:
        source = self.admitted.source
        excerpt = choose_excerpt(
            self.quotable, source=source, tokens_max=max(tokens_max, 1), is_sparing=is_sparing
        )
        return replace(self.bare, excerpt=excerpt)

    def pointer(self, tokens_max: int) -> Hit:
        text = pointer_text(self.quotable, source=self.admitted.source, tokens_max=tokens_max)
        return replace(self.bare, matched_passage=text)


def assemble(
    stream: Iterable[Admitted], *, start: int, quotable_of: QuotableOf, question: Question, explain: Explain
) -> Assembled:
    """The page of ``question`` that begins at the position ``start`` of the stream.

    ``explain`` is asked only where the question wants it.
    """
    entries: list[_Entry] = []
    by_position: dict[int, _Entry] = {}
    following: int | None = None
    for each in stream:
        if each.position < start:
            continue
        original = by_position.get(each.copy_of) if each.copy_of is not None else None
        if original is None and len(entries) == question.limit:
            following = each.position
            break
        if original is not None:
            original.places.append(_place(each))
        else:
            above = entries[-1].bare.score if entries else each.ranked.score
            section = each.ranked.section
            quotable = quotable_of(section, each.source, not entries)
            entry = _Entry(
                each, quotable, _bare(each.ranked, min(each.ranked.score, above)), each.position + 1
            )
            if question.explain:
                found = _explained(entry, explain(each.ranked))
                entry.bare = replace(entry.bare, contributions=found)
            entries.append(entry)
            by_position[each.position] = entry
        entries[-1].ends_at = each.position + 1
    kept = _packed(entries, question)
    if len(kept) < len(entries):
        following = entries[len(kept) - 1].ends_at
    hits = (replace(hit, also_in=tuple(entry.places)) for hit, entry in zip(kept, entries, strict=False))
    return Assembled(tuple(hits), following)


def hit_tokens(hit: Hit) -> int:
    """What a reader of the page pays for this hit: where it stands, and what is quoted of it."""
    quoted = hit.excerpt.text if hit.excerpt is not None else hit.matched_passage or ""
    return estimate_tokens(f"{hit.path} {' > '.join(hit.heading_path)} {hit.id}\n{quoted}")


def _packed(entries: list[_Entry], question: Question) -> list[Hit]:
    """The hits that the budget allows, each as excerpt or pointer."""
    if question.expand:
        hits = _whole_sections(entries, question.max_tokens or EXPANDED_TOKENS)
    elif question.mode is SearchMode.EXACT:
        hits = [entry.pointer(LISTED_TOKENS) for entry in entries]
    else:
        hits = _excerpt_and_pointers(entries, question)
    return hits[: _fitting(hits, question.max_tokens)] if question.max_tokens else hits


def _fitting(hits: list[Hit], budget: int) -> int:
    """How many of the hits the budget pays for: one at least, though it may cost more."""
    left = budget
    for rank, hit in enumerate(hits):
        left -= hit_tokens(hit)
        if rank and left < 0:
            return rank
    return len(hits)


def _excerpt_and_pointers(entries: list[_Entry], question: Question) -> list[Hit]:
    """The first hit with its excerpt, the others with what matched, as far as the budget goes."""
    if not entries:
        return []
    first, rest = entries[0], entries[1:]
    budget = question.max_tokens or PAGE_TOKENS
    room = EXCERPT_TOKENS
    if question.max_tokens:
        reserved = sum(hit_tokens(each.bare) + POINTER_TOKENS_MIN for each in rest)
        room = max(POINTER_TOKENS_MIN, budget - min(reserved, budget // 2) - hit_tokens(first.bare))
    hit = first.quoted(room, is_sparing=not question.max_tokens)
    quoted = estimate_tokens(hit.excerpt.text) if hit.excerpt is not None else 0
    rooms = pointer_rooms([each.bare.score for each in entries], quoted=quoted)
    pointers = _pointers(rest, rooms)
    text = sum(hit_tokens(each) for each in pointers) - sum(hit_tokens(each.bare) for each in rest)
    left = budget - hit_tokens(hit) - sum(hit_tokens(each.bare) for each in rest)
    if text > left:
        pointers = _pointers(rest, [max(POINTER_TOKENS_MIN, each * max(left, 0) // text) for each in rooms])
    return [hit, *pointers]


def _pointers(entries: list[_Entry], rooms: list[int]) -> list[Hit]:
    """The hits after the first, the second quoted verbatim if it has the room."""
    return [
        entry.quoted(room, is_sparing=True)
        if rank == 0 and room >= SECOND_EXCERPT_TOKENS_MIN
        else entry.pointer(room)
        for rank, (entry, room) in enumerate(zip(entries, rooms, strict=True))
    ]


def _whole_sections(entries: list[_Entry], budget: int) -> list[Hit]:
    """Each hit with its whole section, all parts of it, while that fits; the first with what does."""
    hits: list[Hit] = []
    left = budget
    for rank, entry in enumerate(entries):
        reserved = sum(hit_tokens(each.bare) + LISTED_TOKENS for each in entries[rank + 1 :])
        room = left - min(reserved, left // 2) - hit_tokens(entry.bare)
        lines, source = _whole_section(entry.admitted), entry.admitted.source
        if estimate_tokens(source.slice(lines)) <= room:
            hits.append(replace(entry.bare, excerpt=Excerpt(lines, source.slice(lines))))
        else:
            hits.append(entry.pointer(LISTED_TOKENS) if rank else entry.quoted(room))
        left -= hit_tokens(hits[-1])
    return hits


def _whole_section(each: Admitted) -> LineRange:
    record = each.ranked.section.record
    if record.part is None:
        return record.lines
    whole = whole_sections(each.ranked.section.document)
    return next(section.lines for section in whole if section.heading_path == record.heading_path)


def _bare(ranked: Ranked, score: float) -> Hit:
    section = ranked.section
    return Hit(
        root=section.root,
        path=section.document.path,
        heading_path=section.record.heading_path,
        part=section.record.part,
        lines=section.record.lines,
        tokens=section.record.tokens,
        score=score,
        excerpt=None,
        matched_passage=None,
        kind=section.document.kind.value,
        lowered_for=tuple(loss.what for loss in ranked.losses),
    )


def _explained(entry: _Entry, found: tuple[Contribution, ...]) -> tuple[Contribution, ...]:
    """The contributions, with what a copy loses that was held back."""
    lost = entry.bare.score - entry.admitted.ranked.score
    return (*found, Contribution("copy of texts above", lost)) if lost else found


def _place(each: Admitted) -> Place:
    section = each.ranked.section
    record = section.record
    return Place(section.root, section.document.path, record.heading_path, record.part, record.lines)
