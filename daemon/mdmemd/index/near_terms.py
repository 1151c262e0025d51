"""The terms of the index that differ from a word by few edits: what somebody who mistyped may have meant.

Looks at the length and the letters of every term (``letter_sets``), a few array operations a segment, and
computes distances for the few that are left. A term with letters that take more bytes than any of the word's
may be missed: a folded term has such letters only in scripts of its own. Pure; called on query threads, for
words that no section holds.

Measured by ``python tests/bench/bench_index.py`` over 414,465 terms of 100,025 sections in three segments on
2 busy cores: p50 9, p95 20 ms, for words of 3 or 4 letters, which have the most neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mdmemd.index.arrays import IntArray
from mdmemd.index.edit_distance import edit_distances
from mdmemd.index.letter_sets import letter_set
from mdmemd.index.searched_segment import SearchedSegment
from mdmemd.index.segment import Segment
from mdmemd.index.text_arena import encoded

COMPARED_MAX = 2_048
"""Terms of one segment whose distance is computed, those with the most letters in common first."""


@dataclass(frozen=True, slots=True)
class NearTerm:
    """A term, how many edits it is away, and the searched sections that hold it (refs, ascending)."""

    text: str
    edits: int
    refs: IntArray


def near_terms(parts: Sequence[SearchedSegment], word: str, *, edits: int) -> list[NearTerm]:
    """The terms of searched sections at most ``edits`` edits from ``word``.

    The nearest come first, then those of the most sections, then by text.
    """
    refs: dict[str, list[IntArray]] = {}
    distances: dict[str, int] = {}
    for part in parts:
        segment = part.view.segment
        numbers = _alike(segment, word, edits)
        texts = [segment.postings.vocabulary.texts[number] for number in numbers.tolist()]
        found = edit_distances(word, texts, most=edits)
        for at in np.flatnonzero(found <= edits).tolist():
            run = slice(*segment.postings.starts[numbers[at] : numbers[at] + 2].tolist())
            sections = segment.postings.sections[run].astype(np.int64)
            if part.searched is not None:
                sections = sections[part.searched[sections]]
            if len(sections):
                refs.setdefault(texts[at], []).append(sections + part.base)
                distances[texts[at]] = int(found[at])
    near = [NearTerm(text, distances[text], np.concatenate(each)) for text, each in refs.items()]
    return sorted(near, key=lambda each: (each.edits, -len(each.refs), each.text))


def _alike(segment: Segment, word: str, edits: int) -> IntArray:
    """Numbers of the terms whose length and letters do not rule them out."""
    piece = encoded(word)
    # one edit of a letter that takes several bytes can change as many bytes of the term
    bytes_changed = edits * max(len(encoded(letter)) for letter in word)
    starts = segment.postings.vocabulary.texts.starts
    lengths = starts[1:] - starts[:-1]
    numbers: IntArray = np.flatnonzero(np.abs(lengths - len(piece)) <= bytes_changed)
    different = np.bitwise_count(segment.letter_sets[numbers] ^ letter_set(piece))
    is_alike = different <= 2 * bytes_changed  # a byte that is replaced leaves one set and enters the other
    numbers, different = numbers[is_alike], different[is_alike]
    if len(numbers) > COMPARED_MAX:
        numbers = numbers[np.argsort(different, kind="stable")[:COMPARED_MAX]]
    return numbers
