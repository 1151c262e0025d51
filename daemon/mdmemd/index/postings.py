"""The inverted index of one segment: for each term the sections that hold it and how often, per field.

Format: the postings of term ``t`` are the run ``starts[t]:starts[t + 1]`` of four parallel columns:
``sections`` (int32, ascending within a run) and one uint8 frequency per field, cut at ``FREQUENCY_MAX`` (BM25
no longer tells 255 from more: under one percent of a term's weight). 7 bytes a posting. Terms are numbered by
a ``TextTable``, so a term costs its bytes and 20 more. Frozen once built; built and merged by the writer,
read by any thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mdmemd.index.arrays import BoolArray, ByteArray, Int32Array, IntArray, run_starts
from mdmemd.index.term_columns import Field, TermColumns
from mdmemd.index.text_table import HashedTexts, TextTable, merge_tables

FREQUENCY_MAX = 255

_SECTION_BITS = 31
_FIELD_BITS = 2


@dataclass(frozen=True, slots=True)
class Postings:
    """The inverted index of one segment. ``frequencies[field]`` is parallel to ``sections``."""

    vocabulary: TextTable
    starts: IntArray
    sections: Int32Array
    frequencies: tuple[ByteArray, ByteArray, ByteArray]

    def find(self, term: str) -> slice | None:
        """Where the postings of a term stand, or ``None`` where it has none."""
        return self.find_each(HashedTexts.of([term]))[0]

    def find_each(self, terms: HashedTexts) -> list[slice | None]:
        """The same for each of these terms."""
        return [
            None if number is None else slice(int(self.starts[number]), int(self.starts[number + 1]))
            for number in self.vocabulary.find_each(terms)
        ]


class PostingsBuilder(TermColumns):
    """Takes the terms of one section after another, then gives the postings."""

    def build(self) -> tuple[Postings, Int32Array]:
        """The postings, and the number of terms of each section per field, shape ``(3, sections)``."""
        lengths = np.array(self.lengths, np.int32)
        vocabulary, numbers = TextTable.of(self.vocabulary)
        occurrences = np.concatenate([self._occurrences(field, numbers) for field in Field])
        keys, counts = np.unique(occurrences, return_counts=True)
        pairs = keys >> _FIELD_BITS
        is_first = np.ones(len(pairs), np.bool_)
        np.not_equal(pairs[1:], pairs[:-1], out=is_first[1:])
        posting = np.cumsum(is_first) - 1
        pairs = pairs[is_first]
        field_of = keys & ((1 << _FIELD_BITS) - 1)
        columns = []
        for field in Field:
            column = np.zeros(len(pairs), np.uint8)
            chosen = field_of == field
            column[posting[chosen]] = np.minimum(counts[chosen], FREQUENCY_MAX)
            columns.append(column)
        terms = pairs >> _SECTION_BITS
        starts = run_starts(np.bincount(terms, minlength=len(vocabulary)))
        sections = (pairs & ((1 << _SECTION_BITS) - 1)).astype(np.int32)
        return Postings(vocabulary, starts, sections, (columns[0], columns[1], columns[2])), lengths

    def _occurrences(self, field: Field, numbers: IntArray) -> IntArray:
        """One number for each term written: term, section and field packed so that sorting groups them."""
        terms = numbers[np.array(self.terms[field], np.int64)]
        lengths = np.array(self.lengths[field], np.int64)
        sections = np.repeat(np.arange(len(lengths)), lengths)
        return (((terms << _SECTION_BITS) | sections) << _FIELD_BITS) | int(field)


def merge_postings(parts: Sequence[tuple[Postings, BoolArray]]) -> Postings:
    """One inverted index of the live sections of several, in the order given; dead terms are dropped.

    Each part comes with the mask of its live sections; these are numbered on from part to part. Linear in
    postings and terms: no sorting, since every posting's place follows from the counts.
    """
    filtered = [_live(postings, live) for postings, live in parts]
    kept_terms = [np.diff(part.starts) > 0 for part in filtered]
    tables = [postings.vocabulary for postings, _ in parts]
    vocabulary, merged_numbers = merge_tables(list(zip(tables, kept_terms, strict=True)))
    renumbered = list(zip(kept_terms, merged_numbers, strict=True))
    frequencies = np.zeros(len(vocabulary), np.int64)
    for (kept, numbers), part in zip(renumbered, filtered, strict=True):
        frequencies[numbers] += np.diff(part.starts)[kept]
    starts = run_starts(frequencies)
    sections = np.empty(int(starts[-1]), np.int32)
    columns = tuple(np.empty(int(starts[-1]), np.uint8) for _ in Field)
    filled = starts[:-1].copy()
    base = 0
    for (_, live), (kept, numbers), part in zip(parts, renumbered, filtered, strict=True):
        lengths = np.diff(part.starts)[kept]
        shift = np.repeat(filled[numbers] - part.starts[:-1][kept], lengths)
        place = shift + np.arange(len(shift))
        sections[place] = part.sections + base
        for column, values in zip(columns, part.frequencies, strict=True):
            column[place] = values
        filled[numbers] += lengths
        base += int(np.count_nonzero(live))
    return Postings(vocabulary, starts, sections, (columns[0], columns[1], columns[2]))


@dataclass(frozen=True, slots=True)
class _LivePostings:
    """Postings without those of dead sections, the others renumbered; a term may be left with none."""

    starts: IntArray
    sections: Int32Array
    frequencies: tuple[ByteArray, ...]


def _live(postings: Postings, live: BoolArray) -> _LivePostings:
    if live.all():
        return _LivePostings(postings.starts, postings.sections, postings.frequencies)
    kept = live[postings.sections]
    renumbered = (np.cumsum(live) - 1).astype(np.int32)
    return _LivePostings(
        run_starts(kept.astype(np.int64))[postings.starts],
        renumbered[postings.sections[kept]],
        tuple(column[kept] for column in postings.frequencies),
    )
