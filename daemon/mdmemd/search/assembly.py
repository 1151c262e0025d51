"""From the stream of admitted sections to the hits of one page, packed into its budget of tokens.

The first comes with the excerpt that answers, the second too where it is nearly as good and cheap enough, the
others are pointers. Invariants: the budget goes first to the first excerpt, of which pointers take at most
half; a page has at least one hit where there is any; with a budget that the caller set, hits that do not fit
are left to the next page; exactly equal texts are one hit that names the other places. Called on the query
pool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from mdmemd.index.scope import SectionHandle
from mdmemd.model import LineRange, SearchMode
from mdmemd.search.admission import Admitted
from mdmemd.search.excerpt import choose_excerpt, pointer_text
from mdmemd.search.matched_passage import PassageScores
from mdmemd.search.outline import whole_sections
from mdmemd.search.page import Contribution, Excerpt, Hit, Place, Question
from mdmemd.search.ranking import Ranked
from mdmemd.search.weights import NEARLY_AS_GOOD
from mdmemd.text.source import SourceText
from mdmemd.text.token_estimate import estimate_tokens

PAGE_TOKENS = 500
"""What a page costs where the caller says nothing."""

EXPANDED_TOKENS = 2_000
"""The same for whole sections."""

EXCERPT_TOKENS_MIN = 300
"""What the first excerpt may always cost on a page whose caller set no budget, however many pointers follow.
"""

SECOND_EXCERPT_TOKENS_MIN = 80
"""Less room than this is not worth a second excerpt."""

Scorer = Callable[[SectionHandle, SourceText], PassageScores]
Explain = Callable[[Ranked], tuple[Contribution, ...]]


@dataclass(frozen=True, slots=True)
class Assembled:
    """The hits of a page, and the position of the first section that is not on it, if there is one."""

    hits: tuple[Hit, ...]
    following: int | None


@dataclass(slots=True)
class _Entry:
    admitted: Admitted
    scores: PassageScores
    pointer: Hit
    cost: int
    ends_at: int
    places: list[Place] = field(default_factory=list)


def assemble(
    stream: Iterable[Admitted],
    *,
    start: int,
    scorer: Scorer,
    question: Question,
    explain: Explain,
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
            above = entries[-1].pointer.score if entries else each.ranked.score
            entry = _entry(each, scorer, min(each.ranked.score, above))
            if question.explain:
                found = _explained(entry, explain(each.ranked))
                entry.pointer = replace(entry.pointer, contributions=found)
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
    budget = question.max_tokens or (EXPANDED_TOKENS if question.expand else PAGE_TOKENS)
    quoting = _quoted_whole if question.expand else _quoted
    hits: list[Hit] = []
    left = budget
    for rank, entry in enumerate(entries):
        if question.mode is not SearchMode.EXACT or question.expand:
            reserved = min(sum(each.cost for each in entries[rank + 1 :]), left // 2)
            room = left - reserved - hit_tokens(replace(entry.pointer, matched_passage=None))
            if not question.max_tokens and rank == 0:
                room = max(room, EXCERPT_TOKENS_MIN)
            hit = quoting(entry, room, rank, entries[0].pointer.score)
        else:
            hit = entry.pointer
        cost = hit_tokens(hit)
        if question.max_tokens and rank and cost > left:
            break
        hits.append(hit)
        left -= cost
    return hits


def _quoted(entry: _Entry, room: int, rank: int, best_score: float) -> Hit:
    """The first hit with its excerpt, the second if it deserves one, else the pointer."""
    if rank == 0:
        return _with_excerpt(entry, max(room, 1))
    is_close = rank == 1 and entry.pointer.score >= NEARLY_AS_GOOD * best_score > 0
    return _with_excerpt(entry, room) if is_close and room >= SECOND_EXCERPT_TOKENS_MIN else entry.pointer


def _quoted_whole(entry: _Entry, room: int, rank: int, _best_score: float) -> Hit:
    """The hit with its whole section, all parts of it, if that fits."""
    lines, source = _whole_section(entry.admitted), entry.admitted.source
    if estimate_tokens(source.slice(lines)) <= room:
        return _quoting(entry, Excerpt(lines, source.slice(lines)))
    return _with_excerpt(entry, max(room, 1)) if rank == 0 else entry.pointer


def _whole_section(each: Admitted) -> LineRange:
    record = each.ranked.section.record
    if record.part is None:
        return record.lines
    whole = whole_sections(each.ranked.section.document)
    return next(section.lines for section in whole if section.heading_path == record.heading_path)


def _with_excerpt(entry: _Entry, tokens_max: int) -> Hit:
    section = entry.admitted.ranked.section
    excerpt = choose_excerpt(
        section.record,
        section.passages,
        entry.scores,
        source=entry.admitted.source,
        tokens_max=tokens_max,
    )
    return _quoting(entry, excerpt)


def _quoting(entry: _Entry, excerpt: Excerpt) -> Hit:
    return replace(entry.pointer, excerpt=excerpt, matched_passage=None)


def _entry(each: Admitted, scorer: Scorer, score: float) -> _Entry:
    section, source = each.ranked.section, each.source
    scores = scorer(section, source)
    passages = section.passages
    pointer = Hit(
        root=section.root,
        path=section.document.path,
        heading_path=section.record.heading_path,
        part=section.record.part,
        lines=section.record.lines,
        tokens=section.record.tokens,
        score=score,
        excerpt=None,
        matched_passage=pointer_text(source.slice(passages[scores.best].lines)) if passages else None,
        kind=section.document.kind.value,
        lowered_for=tuple(loss.what for loss in each.ranked.losses),
    )
    return _Entry(each, scores, pointer, hit_tokens(pointer), each.position + 1)


def _explained(entry: _Entry, found: tuple[Contribution, ...]) -> tuple[Contribution, ...]:
    """The contributions, with what a copy loses that was held back."""
    lost = entry.pointer.score - entry.admitted.ranked.score
    return (*found, Contribution("copy of texts above", lost)) if lost else found


def _place(each: Admitted) -> Place:
    section = each.ranked.section
    record = section.record
    return Place(section.root, section.document.path, record.heading_path, record.part, record.lines)
