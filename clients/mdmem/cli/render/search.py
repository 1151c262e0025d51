"""An answer as a person reads it: the best section quoted, pointers to others, what the answer is worth."""

from __future__ import annotations

from mdmem.cli.render.style import Style, block, breadcrumb, counted, line, place
from mdmem_proto.messages import AnswerState, Hit, SearchResult

_KEYWORD_NOTES = {
    "no_match": "no section holds any of the words",
    "filtered": "only single words of the question were found",
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
    return "\n".join([*paragraphs, style.dim(state_line(result.state)) + "\n"])


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
        facts.append(f"all words in {counted(state.exact_sections, 'section')}")
    elif state.keyword_match == "filtered" and state.filtered_sections is not None:
        facts.append("the words were found only outside the filter, or only single ones")
    elif state.keyword_match in _KEYWORD_NOTES:
        facts.append(_KEYWORD_NOTES[state.keyword_match])
    facts.append(f"{state.took_ms:.1f} ms")
    return "; ".join(facts)


def _quoted(hit: Hit, style: Style) -> str:
    assert hit.excerpt is not None
    text = block(hit.excerpt.text)
    return f"{_head(hit, hit.excerpt.lines, style)}\n{text}{'' if text.endswith(chr(10)) else chr(10)}"


def _pointer(number: int, hit: Hit, style: Style) -> str:
    passage = f"   {line(hit.matched_passage)}\n" if hit.matched_passage else ""
    head = _head(hit, hit.lines, style).replace("\n", "\n   ").removesuffix("   ")
    return f"{number}. {head}{passage}"


def _head(hit: Hit, lines: tuple[int, int], style: Style) -> str:
    crumb = breadcrumb(hit.heading_path, hit.part)
    return f"{style.bold(place(hit.path, lines))}  {style.dim(line(hit.root))}\n" + (
        f"{crumb}\n" if crumb else ""
    )
