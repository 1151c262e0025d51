"""Whether a segment from somewhere else can be one: every number in its range, every path inside its root.

A checksum tells that a file is as it was written, not that a friend wrote it. What this lets through makes no
reader of a segment look outside its columns, and no reader of a document outside its root. Pure.
"""

from __future__ import annotations

import numpy as np

from mdmemd.index.arrays import Int32Array, IntArray
from mdmemd.index.segment import PASSAGE_KINDS, Segment
from mdmemd.sync.scope import SUFFIXES

PATH_CHARACTERS_MAX = 4_096


def check_segment(segment: Segment) -> None:
    """Raises ``ValueError`` with a clause that says what is wrong."""
    sections, passages, postings = segment.sections, segment.passages, segment.postings
    count = segment.section_count
    _check_starts("sections", segment.section_starts, count)
    _check_starts("passages", sections.passage_starts, len(passages.keys))
    _check_starts("terms", postings.starts, len(postings.sections))
    if not all(len(path) == count for path in (sections.anchors, sections.numbers)):
        raise ValueError("its sections do not fit each other")
    _check_range("section of a term", postings.sections, count)
    _check_range("kind of a passage", passages.kinds.astype(np.int64), len(PASSAGE_KINDS))
    if len(passages.keys) and int(passages.keys.min()) < 0:
        raise ValueError("a key is negative")
    for numbers in (sections.numbers, sections.lengths, passages.numbers):
        if numbers.size and int(numbers.min()) < 0:
            raise ValueError("a number is negative")
    if len(segment.numbers_of_paths) != len(segment.documents):
        raise ValueError("a path is twice in it")
    for path in segment.numbers_of_paths:
        _check_path(path)
    for facts in segment.documents:
        texts = (facts.title, *facts.tags, *facts.aliases, *(link.target for link in facts.links))
        if not all(type(text) is str for text in texts):
            raise ValueError("a title, tag or link is no text")


def _check_starts(what: str, starts: IntArray, end: int) -> None:
    if not len(starts) or int(starts[0]) != 0 or int(starts[-1]) != end or np.any(np.diff(starts) < 0):
        raise ValueError(f"runs of {what} are not in order")


def _check_range(what: str, numbers: IntArray | Int32Array, end: int) -> None:
    if len(numbers) and (int(numbers.min()) < 0 or int(numbers.max()) >= end):
        raise ValueError(f"the {what} is out of range")


def _check_path(path: str) -> None:
    parts = path.split("/")
    is_plain = "\0" not in path and len(path) <= PATH_CHARACTERS_MAX and not {"", ".", ".."} & set(parts)
    if not is_plain or not path.lower().endswith(SUFFIXES):
        raise ValueError(f"{path!r} is no path of a document")
