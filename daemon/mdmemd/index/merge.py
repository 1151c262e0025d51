"""Which segments to merge, and merging them.

Policy: a segment that is no larger than all smaller ones together is merged with them. So each segment is
larger than the rest below it, there are O(log n) of them, and a section that is copied finds itself in a
segment at least twice as large: it is copied O(log n) times. A merge never makes more than ``SECTIONS_MAX``
sections, which bounds the pause of one ``apply``; larger roots have one more segment for each
``SECTIONS_MAX`` / 2 sections at most. A segment with more than ``DEAD_SHARE`` deleted sections is rewritten
by itself, paid for by these deletions. Writer only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mdmemd.index.arrays import BoolArray, Int32Array, IntArray, run_members, run_starts
from mdmemd.index.attributes import Attributes
from mdmemd.index.document_columns import merge_documents
from mdmemd.index.postings import merge_postings
from mdmemd.index.segment import PassageColumns, SectionColumns, Segment
from mdmemd.index.text_arena import TextArena
from mdmemd.index.text_table import merge_tables
from mdmemd.model import Fingerprint

SECTIONS_MAX = 65_536
DEAD_SHARE = 1 / 3


@dataclass(frozen=True, slots=True)
class MergeInput:
    """A segment and what has become of it: masks of what lives, newer fingerprints by document number."""

    segment: Segment
    live_documents: BoolArray
    live_sections: BoolArray
    fingerprints: Mapping[int, Fingerprint]


def merge_count(sizes: Sequence[int]) -> int:
    """How many of the smallest segments to merge into one: 0 or at least 2.

    ``sizes`` are the live sections of each segment, descending.
    """
    total = count = 0
    for position, size in enumerate(reversed(sizes), start=1):
        if total + size > SECTIONS_MAX:
            break
        if size <= total:
            count = position
        total += size
    return count if count > 1 else 0


def is_worn(*, sections: int, deleted: int) -> bool:
    """Whether a segment has lost so much that it is rewritten by itself."""
    return deleted > DEAD_SHARE * sections


def merge_segments(inputs: Sequence[MergeInput]) -> Segment:
    """One segment of what lives in several, in the order given."""
    live_passages = [
        np.repeat(each.live_sections, np.diff(each.segment.sections.passage_starts)) for each in inputs
    ]
    section_counts = [np.diff(each.segment.section_starts)[each.live_documents] for each in inputs]
    passages = [each.segment.passages for each in inputs]
    return Segment(
        documents=merge_documents(
            [
                (each.segment.documents, np.flatnonzero(each.live_documents), each.fingerprints)
                for each in inputs
            ]
        ),
        section_starts=run_starts(np.concatenate(section_counts)),
        sections=_merge_sections(inputs),
        passages=PassageColumns(
            numbers=np.concatenate(
                [p.numbers[live] for p, live in zip(passages, live_passages, strict=True)]
            ),
            kinds=np.concatenate([p.kinds[live] for p, live in zip(passages, live_passages, strict=True)]),
            keys=np.concatenate([p.keys[live] for p, live in zip(passages, live_passages, strict=True)]),
            content_ids=np.concatenate(
                [p.content_ids[live] for p, live in zip(passages, live_passages, strict=True)]
            ),
        ),
        postings=merge_postings([(each.segment.postings, each.live_sections) for each in inputs]),
        attributes=Attributes.merged(
            [(each.segment.attributes, each.live_documents, each.fingerprints) for each in inputs]
        ),
    )


def _merge_sections(inputs: Sequence[MergeInput]) -> SectionColumns:
    chosen = [(each.segment.sections, np.flatnonzero(each.live_sections)) for each in inputs]
    passage_counts = [np.diff(columns.passage_starts)[live] for columns, live in chosen]
    heading_counts = [np.diff(columns.heading_starts)[live] for columns, live in chosen]
    used = [_heading_numbers(columns, live) for columns, live in chosen]
    masks = [np.zeros(len(columns.headings), np.bool_) for columns, _ in chosen]
    for mask, numbers in zip(masks, used, strict=True):
        mask[numbers] = True
    headings, merged_numbers = merge_tables(
        [(columns.headings, mask) for (columns, _), mask in zip(chosen, masks, strict=True)]
    )
    renumbered = [
        merged[(np.cumsum(mask) - 1)[numbers]]
        for merged, mask, numbers in zip(merged_numbers, masks, used, strict=True)
    ]
    return SectionColumns(
        headings=headings,
        heading_numbers=np.concatenate(renumbered).astype(np.int32),
        heading_starts=run_starts(np.concatenate(heading_counts)).astype(np.int32),
        anchors=TextArena.joined([columns.anchors.take(live) for columns, live in chosen]),
        numbers=np.concatenate([columns.numbers[live] for columns, live in chosen]),
        lengths=np.concatenate([columns.lengths[:, live] for columns, live in chosen], axis=1),
        passage_starts=run_starts(np.concatenate(passage_counts)),
    )


def _heading_numbers(columns: SectionColumns, sections: IntArray) -> Int32Array:
    """The numbers of the headings of these sections, one section after another."""
    starts = columns.heading_starts.astype(np.int64)
    return columns.heading_numbers[run_members(starts[sections], starts[sections + 1])]
