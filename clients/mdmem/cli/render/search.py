"""An answer as a person reads it: the best section quoted, pointers to others, what the answer is worth."""

from __future__ import annotations

from mdmem.cli.render.style import Style, block, breadcrumb, counted, line, place
from mdmem_proto.messages import (
    AnswerState,
    Contribution,
    Hit,
    Place,
    Respelling,
    SearchResult,
    WhyQueryResult,
)

_KEYWORD_NOTES = {
    "no_match": "no section holds any of the words",
    "filtered": "words of the question were found only one by one, not as it has them",
    "no_terms": "the question has no words to look up",
    "unavailable": "the words were not looked up",
}


def render_search(result: SearchResult, style: Style) -> str:
    """The whole answer, ending in a line feed."""
    paragraphs = [
        _quoted(hit, style) if hit.excerpt is not None else _pointer(number, hit, style)
        for number, hit in enumerate(result.hits, start=1)
    ]
    if not paragraphs:
        paragraphs = ["Nothing found.\n"]
    paragraphs += [_respelling(each) for each in result.did_you_mean]
    if result.near_misses:
        near = [_pointer(number, hit, style) for number, hit in enumerate(result.near_misses, start=1)]
        paragraphs += ["Near misses, which do not answer:\n", *near]
    facts = state_line(result.state)
    if result.cursor is not None:
        facts += f"; more: --cursor {line(result.cursor)}"
    return "\n".join([*paragraphs, style.dim(facts) + "\n"])


def state_line(state: AnswerState) -> str:
    """How the answer was made, what stood behind it, and what is still missing."""
    facts = [state.mode if state.degraded is None else f"{state.mode} ({line(state.degraded)})"]
    facts.append(f"{counted(state.documents, 'document')}, {counted(state.sections, 'section')}")
    if state.filtered_sections is not None:
        facts.append(f"filtered to {counted(state.filtered_sections, 'section')}")
    if state.coverage == "empty":
        facts.append("nothing is indexed")
    if state.embedded < state.passages:
        facts.append(f"{state.embedded:,} of {counted(state.passages, 'passage')} embedded")
    if state.pending_files:
        facts.append(f"{counted(state.pending_files, 'file')} not indexed yet")
    if not state.fresh:
        facts.append(f"not fresh: {line(state.outstanding or 'the latest changes are still being read')}")
    if state.keyword_match == "matched":
        files = f" of {counted(state.exact_files, 'file')}" if state.exact_files else ""
        found = f"all words in {counted(state.exact_sections, 'section')}{files}"
        facts.append(found if state.exact_sections else "no section has all the words")
    elif state.keyword_match == "filtered" and state.filtered_sections is not None:
        facts.append("words of the question were found only outside the filter, or one by one")
    elif state.keyword_match in _KEYWORD_NOTES:
        facts.append(_KEYWORD_NOTES[state.keyword_match])
    facts.append(f"{state.took_ms:.1f} ms")
    return "; ".join(facts)


def render_why_query(result: WhyQueryResult, style: Style) -> str:
    """One sentence, the scores, and what the score is made of."""
    lines = [line(result.sentence)]
    if result.place is not None:
        where = style.bold(place(result.place.path, result.place.lines))
        crumb = breadcrumb(result.place.heading_path, result.place.part)
        lines[0] = f"{where}: {lines[0]}"
        lines += [crumb] if crumb else []
    if result.score is not None:
        needed = (
            "" if result.last_score is None else f"; the last hit of the page has {result.last_score:.4f}"
        )
        lines.append(f"score {result.score:.4f}{needed}")
    return "\n".join([*lines, *_sum(result.contributions)]) + "\n"


def _respelling(each: Respelling) -> str:
    return f"No section has {line(each.asked)}. Did you mean {' or '.join(map(line, each.written))}?\n"


def _sum(contributions: tuple[Contribution, ...]) -> list[str]:
    return [f"  {each.value:+.4f}  {line(each.what)}" for each in contributions]


def _quoted(hit: Hit, style: Style) -> str:
    assert hit.excerpt is not None
    text = block(hit.excerpt.text)
    cut = f"({line(hit.excerpt.cut)})\n" if hit.excerpt.cut else ""
    return f"{_head(hit, hit.excerpt.lines, style)}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{cut}"


def _pointer(number: int, hit: Hit, style: Style) -> str:
    passage = f"   {line(hit.matched_passage)}\n" if hit.matched_passage else ""
    head = _head(hit, hit.lines, style).replace("\n", "\n   ").removesuffix("   ")
    return f"{number}. {head}{passage}"


def _head(hit: Hit, lines: tuple[int, int], style: Style) -> str:
    crumb = breadcrumb(hit.heading_path, hit.part)
    also = ", ".join(_other_place(hit, each) for each in hit.also_in)
    return (
        f"{style.bold(place(hit.path, lines))}  {style.dim(line(hit.root))}\n"
        + (f"{crumb}\n" if crumb else "")
        + (f"also in {also}\n" if also else "")
        + (f"lowered for {line(', '.join(hit.lowered_for))}\n" if hit.lowered_for else "")
        + (f"score {hit.score:.4f}\n" if hit.contributions else "")
        + "".join(f"{each}\n" for each in _sum(hit.contributions))
    )


def _other_place(hit: Hit, other: Place) -> str:
    where = place(other.path, other.lines)
    return where if other.root == hit.root else f"{where} ({line(other.root)})"
