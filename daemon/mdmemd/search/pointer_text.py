"""What stands beside a pointer: the passages of its section that match best, as one line of plain text.

Invariants: at most the tokens given; passages in their order, ``…`` for what was left out; where not even the
best one fits, its sentences that name most of the question. Tags of HTML blocks, fences and the marks of
admonitions are left out, which would take the place of what they hold. Pure; called by ``assembly`` on the
query pool.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mdmemd.model import PassageKind
from mdmemd.search.matched_passage import QuestionWords
from mdmemd.search.quotable import Quotable
from mdmemd.text.cuts import first_cut
from mdmemd.text.dialects import admonition_title
from mdmemd.text.html_text import visible_text
from mdmemd.text.source import SourceText
from mdmemd.text.token_estimate import estimate_tokens
from mdmemd.text.tokens import terms

GAP = "…"

_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=\S)|(?<=[。！？；])(?=\S)")
_FENCE = re.compile(r"^[ \t]*(?:`{3,}[^`\n]*|~{3,}.*)$", re.MULTILINE)


def pointer_text(quotable: Quotable, *, source: SourceText, tokens_max: int) -> str | None:
    """The best passages of a section in ``tokens_max`` tokens; ``None`` where it has none."""
    texts = [_plain(quotable, index, source) for index in range(len(quotable.passages))]
    values = quotable.scores.passages
    order = sorted(filter(texts.__getitem__, range(len(texts))), key=lambda index: (-values[index], index))
    if not order:
        return None
    chosen: set[int] = set()
    for index in order:
        for group in ({index, index + 1}, {index}) if _introduces(texts, index) else ({index},):
            if sum(estimate_tokens(texts[each]) + 1 for each in chosen | group) <= tokens_max:
                chosen |= group
                break
        if not chosen:
            return best_sentences(texts[index], words=quotable.words, tokens_max=tokens_max)
    return _joined(texts, chosen)


def best_sentences(text: str, *, words: QuestionWords, tokens_max: int) -> str:
    """The run of sentences that names most of the question, the first of equals; a long one is cut."""
    sentences = _SENTENCE_END.split(text)
    best, best_share = (0, 1), -1.0
    for start in range(len(sentences)):
        end = start + 1
        while end < len(sentences) and estimate_tokens(" ".join(sentences[start : end + 1])) <= tokens_max:
            end += 1
        share = words.share(words.among(terms(" ".join(sentences[start:end]))))
        if share > best_share:
            best, best_share = (start, end), share
    start, end = best
    found = clipped(" ".join(sentences[start:end]), tokens_max=tokens_max)
    before = f"{GAP} " if start else ""
    after = f" {GAP}" if end < len(sentences) and not found.endswith(GAP) else ""
    return before + found + after


def clipped(text: str, *, tokens_max: int) -> str:
    """``text`` cut at a word and ended with ``…`` where it costs more than ``tokens_max``."""
    tokens = estimate_tokens(text)
    if tokens <= tokens_max:
        return text
    limit = max(1, len(text) * tokens_max // tokens)
    cut = text.rfind(" ", limit // 2, limit)
    if cut < 0:
        cut = first_cut(text, max(limit - len(GAP), 1))
    return text[:cut].rstrip() + GAP


def _plain(quotable: Quotable, index: int, source: SourceText) -> str:
    """A passage on one line."""
    passage = quotable.passages[index]
    text = source.slice(passage.lines)
    if passage.kind is PassageKind.HTML:
        text = visible_text(text)
    marker, _, rest = text.partition("\n")
    title = admonition_title(marker) if passage.kind is PassageKind.PARAGRAPH else None
    if title is not None:
        text = f"{title}: {rest}" if title else rest
    return " ".join(_FENCE.sub("", text).split())


def _introduces(texts: Sequence[str], index: int) -> bool:
    return texts[index].endswith((":", "：")) and index + 1 < len(texts)


def _joined(texts: Sequence[str], chosen: set[int]) -> str:
    """The chosen texts in order, with a mark for each gap between them."""
    pieces: list[str] = []
    for index in sorted(chosen):
        if pieces and index - 1 not in chosen:
            pieces.append(GAP)
        pieces.append(texts[index])
    return " ".join(pieces)
