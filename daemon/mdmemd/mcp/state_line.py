"""What an answer is worth, as the one line that ends it.

Invariants: one short line when everything is indexed and fresh; every shortcoming is named when there is one;
a search always says that it is ranked and how many sections hold every word, so that nobody takes the first
ten hits for all of them. Pure; any thread.
"""

from __future__ import annotations

from mdmemd.engine.report import Answer, AnswerState, Coverage
from mdmemd.mcp.quoting import one_line
from mdmemd.mcp.scope import Scope
from mdmemd.model import SearchMode
from mdmemd.search.page import KeywordMatch

NO_ROOTS = "nothing is indexed: register a folder with 'mdmemctl root add FOLDER'"
NO_DOCUMENTS = "no Markdown there"

KEYWORD_SENTENCES = {
    KeywordMatch.NO_MATCH: "no section contains any word of the query",
    KeywordMatch.FILTERED: "words of the query were found only one by one, not as it has them",
    KeywordMatch.NO_TERMS: "the query has no searchable word",
    KeywordMatch.UNAVAILABLE: "keyword search was not available",
}


def counted(number: int, noun: str) -> str:
    """``1 section``, ``2 sections``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listing_state(state: AnswerState, *, scope: Scope) -> str:
    """The line of an answer that lists documents."""
    return "; ".join((*_extent(state, scope=scope), *shortcomings(state, scope=scope)))


def search_state(state: AnswerState, *, scope: Scope, shown: int) -> str:
    """The line of an answer with ``shown`` hits."""
    return "; ".join(
        (*_extent(state, scope=scope), *_matches(state, shown=shown), *shortcomings(state, scope=scope))
    )


def respelled(answer: Answer) -> tuple[str, ...]:
    """What words that no section has may have meant, a sentence each."""
    return tuple(
        f"no section has {one_line(each.asked)}; did you mean {' or '.join(map(one_line, each.written))}?"
        for each in answer.did_you_mean
    )


def _extent(state: AnswerState, *, scope: Scope) -> tuple[str, ...]:
    where = "root " + ", ".join(f"'{one_line(name)}'" for name in scope.roots) if scope.roots else "all roots"
    size = f"{counted(state.documents, 'document')}, {counted(state.sections, 'section')}"
    if state.filtered_sections is not None:
        where += f", filtered to {counted(state.filtered_sections, 'section')}"
    if state.coverage is not Coverage.COMPLETE:
        worth = "incomplete"
    else:
        worth = "complete and fresh" if state.fresh else "perhaps not fresh"
    return (f"{worth}: {size} in {where}",)


def _matches(state: AnswerState, *, shown: int) -> tuple[str, ...]:
    words = KEYWORD_SENTENCES.get(KeywordMatch(state.keyword_match))
    if state.keyword_match == KeywordMatch.FILTERED and state.filtered_sections is not None:
        words = "words of the query were found only outside the filter, or one by one"
    if words is None:
        verb = "contains" if state.exact_sections == 1 else "contain"
        files = f" in {counted(state.exact_files, 'file')}" if state.exact_files else ""
        words = f"{counted(state.exact_sections, 'section')}{files} {verb} every word"
        words = words if state.exact_sections else "no section contains every word"
    if not shown or state.mode == SearchMode.EXACT:
        return (state.mode, words)
    return (f"{state.mode}, top {shown} by rank, not exhaustive", words)


def shortcomings(state: AnswerState, *, scope: Scope) -> tuple[str, ...]:
    """What is missing from the answer, if anything, in a few words each."""
    found: list[str] = []
    if state.coverage is Coverage.EMPTY and not state.documents and not state.pending_files:
        found.append(NO_DOCUMENTS if scope.roots else NO_ROOTS)
    if state.degraded:
        found.append(one_line(state.degraded))
    if state.outstanding:
        found.append(one_line(state.outstanding))
    elif state.pending_files:
        found.append(f"{counted(state.pending_files, 'file')} still to be indexed")
    if state.embedded < state.passages:
        found.append(f"{state.embedded} of {state.passages} passages searchable by meaning, all by keyword")
    return tuple(found)
