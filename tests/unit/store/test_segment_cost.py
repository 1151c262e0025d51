"""Saving and restoring hold the interpreter for short whiles only: no work in Python for each section."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from mdmem_testkit.documents import indexed_file, words
from mdmemd.index.builder import build_segment
from mdmemd.index.segment import Segment
from mdmemd.store.segment_codec import decode_segment, encode_segment


def segment_of(sections: int) -> Segment:
    """Two documents with ``sections`` sections in all, each with headings, words and passages of its own."""
    specs = [((f"Heading {number}",), f"word{number} alpha\nother{number}") for number in range(sections)]
    files = [indexed_file("a.md", *specs[::2]), indexed_file("b.md", *specs[1::2])]
    keys: dict[str, int] = {}
    return build_segment(files, tokenize=words, key_of=lambda text: keys.setdefault(text, len(keys)))


def calls(work: Callable[[], object]) -> int:
    """How many functions are called, those in C included."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("direction", ["encode", "decode"])
def test_the_calls_do_not_grow_with_sections_passages_and_terms(direction: str) -> None:
    """A pause of 55 ms was seen when paths of headings were joined one by one under the interpreter lock."""

    def cost(sections: int) -> int:
        segment = segment_of(sections)
        if direction == "encode":
            return calls(lambda: encode_segment(segment))
        body = memoryview(b"".join(encode_segment(segment)))
        return calls(lambda: decode_segment(body))

    assert cost(400) == cost(4) > 0
