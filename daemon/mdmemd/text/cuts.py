"""Where a text that is too long may be cut: after a line, sentence or word, at worst between two characters.

Invariants: the pieces tile the text, each has at least one and at most ``limit`` characters, and no cut falls
inside a character as a reader sees it (an emoji sequence, a letter with its marks), unless that alone is
longer than half the limit.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator

_SENTENCE_ENDS = (". ", "! ", "? ", ".\n", "!\n", "?\n", "。", "！", "？", "；")
_ZERO_WIDTH_JOINER = "\u200d"

Cut = Callable[[str, int, int], int]
"""Position after the best cut in ``text[low:high]``, or -1."""


def _after_sentence(text: str, low: int, high: int) -> int:
    found = ((text.rfind(end, low, high), len(end)) for end in _SENTENCE_ENDS)
    return max((position + length for position, length in found if position >= 0), default=-1)


def _after_line(text: str, low: int, high: int) -> int:
    return text.rfind("\n", low, high) + 1 or -1


def _after_word(text: str, low: int, high: int) -> int:
    return max(text.rfind(" ", low, high), text.rfind("\n", low, high), text.rfind("\t", low, high)) + 1 or -1


PROSE_CUTS: tuple[Cut, ...] = (_after_sentence, _after_word)
"""Sentence before word: the line ends of wrapped prose say nothing."""

LINE_CUTS: tuple[Cut, ...] = (_after_line, _after_sentence, _after_word)
"""Line first: for code, lists and tables."""


_WORD_CUTS: tuple[Cut, ...] = (_after_word,)


def first_cut(text: str, limit: int) -> int:
    """Where the first ``limit`` characters of ``text`` are cut: after a word of their second half."""
    return len(text) if len(text) <= limit else _cut(text, 0, limit, _WORD_CUTS)


def pieces(text: str, limit: int, *, cuts: tuple[Cut, ...]) -> Iterator[tuple[int, int]]:
    """(start, end) of the pieces of ``text``; a cut is sought in the second half of a piece."""
    start = 0
    while len(text) - start > limit:
        end = _cut(text, start, limit, cuts)
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)


def _cut(text: str, start: int, limit: int, cuts: tuple[Cut, ...]) -> int:
    low, high = start + limit // 2, start + limit
    for cut in cuts:
        position = cut(text, low, high)
        if start < position:
            return position
    position = high
    while position > max(low, start + 1) and _is_inside_character(text, position):
        position -= 1
    return position if not _is_inside_character(text, position) else high


def _is_inside_character(text: str, position: int) -> bool:
    """Whether a grapheme cluster goes on across ``position``: the rules of UAX 29 that running text needs."""
    before, after = text[position - 1], text[position]
    if before == _ZERO_WIDTH_JOINER or after == _ZERO_WIDTH_JOINER:
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True
    if "\u1160" <= after <= "\u11ff":
        return True
    if _is_regional(after) and _is_regional(before):
        return _regionals_before(text, position) % 2 == 1
    return unicodedata.category(after)[0] == "M"


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _regionals_before(text: str, position: int) -> int:
    start = position
    while start > 0 and position - start < 64 and _is_regional(text[start - 1]):
        start -= 1
    return position - start
