"""When segments are merged, and what a merge keeps."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from mdmem_testkit.documents import fingerprint, indexed_file, words
from mdmemd.index.builder import build_segment
from mdmemd.index.merge import SECTIONS_MAX, MergeInput, is_worn, merge_count, merge_segments
from mdmemd.index.segment import Segment
from mdmemd.model import IndexedFile


@pytest.mark.parametrize(
    ("sizes", "count"),
    [
        ([], 0),
        ([5], 0),
        ([5, 5], 2),
        ([6, 5], 0),
        ([8, 4, 2, 2], 4),
        ([9, 4, 2, 2], 3),
        ([30, 30, 2, 1], 4),
        ([1_000, 3, 3, 1], 3),
        ([0, 0, 0], 3),
        ([SECTIONS_MAX // 2 + 1, SECTIONS_MAX // 2 + 1], 0),
    ],
)
def test_only_segments_no_larger_than_the_smaller_ones_together_are_merged(
    sizes: list[int], count: int
) -> None:
    assert merge_count(sizes) == count


def test_segments_stay_few_and_each_section_is_copied_a_few_times() -> None:
    """A large segment is not rewritten because of one edit: amortised, a section is copied O(log n) times."""
    random_sizes = random.Random(3)
    sizes: list[int] = []
    added = copied = 0
    for _ in range(4_000):
        size = random_sizes.choice([1, 1, 1, 5, 30])
        added += size
        sizes = sorted([*sizes, size], reverse=True)
        count = merge_count(sizes)
        if count:
            merged = sum(sizes[-count:])
            copied += merged
            sizes = sorted([*sizes[:-count], merged], reverse=True)
        assert len(sizes) <= math.log2(added) + 2
    assert copied <= added * math.log2(added)


def test_a_merge_is_bounded() -> None:
    sizes = [SECTIONS_MAX, SECTIONS_MAX - 1, 1]
    assert merge_count(sizes) == 0


def test_worn() -> None:
    assert not is_worn(sections=9, deleted=3)
    assert is_worn(sections=9, deleted=4)
    assert not is_worn(sections=0, deleted=0)


def segment(*files: IndexedFile) -> Segment:
    keys: dict[str, int] = {}
    return build_segment(files, tokenize=words, key_of=lambda text: keys.setdefault(text, len(keys)))


def test_merge_keeps_what_lives_with_its_newest_fingerprint() -> None:
    a = indexed_file("a.md", (("A",), "one\ntwo"), (("A", "B"), "three"), tags=("x",))
    b = indexed_file("b.md", ((), "four"))
    empty = indexed_file("c.md")
    first, second = segment(a, b), segment(empty)
    merged = merge_segments(
        [
            MergeInput(first, np.array([True, False]), np.array([True, True, False]), {0: fingerprint(7)}),
            MergeInput(second, np.array([True]), np.zeros(0, np.bool_), {}),
        ]
    )
    assert merged.documents.paths == ("a.md", "c.md")
    assert merged.documents.fingerprints == (fingerprint(7), fingerprint(1))
    assert merged.documents.content_hashes[0] == a.content_hash
    assert merged.documents.front_matter_of(0).tags == ("x",)
    assert [merged.sections.heading_path(number) for number in range(2)] == [("A",), ("A", "B")]
    assert merged.sections_of(0) == range(2)
    assert merged.sections_of(1) == range(2, 2)
    assert merged.passages_of(range(2)) == range(3)
    assert merged.passages.keys.tolist() == [0, 1, 2]
    assert merged.postings.find("four") is None
