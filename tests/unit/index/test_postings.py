"""The inverted index of one segment and merging several."""

from __future__ import annotations

import numpy as np
import pytest

from mdmemd.index.arrays import BoolArray
from mdmemd.index.postings import FREQUENCY_MAX, Postings, PostingsBuilder, merge_postings
from mdmemd.index.term_columns import Field

Fields = tuple[str, str, str]


def build(*sections: Fields) -> Postings:
    builder = PostingsBuilder()
    for title, path, body in sections:
        builder.add_section(title=title.split(), path=path.split(), body=body.split())
    return builder.build()[0]


def of_term(postings: Postings, term: str) -> list[tuple[int, ...]]:
    """Section and frequencies in title, path and body."""
    run = postings.find(term)
    if run is None:
        return []
    columns = [postings.sections[run].tolist(), *(column[run].tolist() for column in postings.frequencies)]
    return list(zip(*columns, strict=True))


def mask(text: str) -> BoolArray:
    return np.array([letter == "1" for letter in text], np.bool_)


def test_frequencies_per_field() -> None:
    postings = build(("a", "b", "a a c"), ("", "a", "b"), ("c", "", ""))
    assert of_term(postings, "a") == [(0, 1, 0, 2), (1, 0, 1, 0)]
    assert of_term(postings, "b") == [(0, 0, 1, 0), (1, 0, 0, 1)]
    assert of_term(postings, "c") == [(0, 0, 0, 1), (2, 1, 0, 0)]
    assert of_term(postings, "d") == []


def test_lengths_count_repetitions() -> None:
    builder = PostingsBuilder()
    builder.add_section(title=["a"], path=[], body=["a", "a", "b"])
    builder.add_section(title=[], path=["x", "y"], body=[])
    lengths = builder.build()[1]
    assert lengths[Field.TITLE].tolist() == [1, 0]
    assert lengths[Field.PATH].tolist() == [0, 2]
    assert lengths[Field.BODY].tolist() == [3, 0]


def test_frequency_is_cut_and_does_not_wrap() -> None:
    postings = build(("", "", "a " * (FREQUENCY_MAX + 2)))
    assert of_term(postings, "a") == [(0, 0, 0, FREQUENCY_MAX)]


def test_no_sections() -> None:
    assert of_term(build(), "a") == []


SECTIONS = (("a", "b", "a a c"), ("", "a", "b"), ("c", "", ""), ("d", "e", "a b"))


@pytest.mark.parametrize("live", ["1111", "0111", "1010", "0001", "0000"])
@pytest.mark.parametrize("cut", [0, 1, 3, 4])
def test_merge_equals_building_the_live_sections(live: str, cut: int) -> None:
    parts = [(build(*SECTIONS[:cut]), mask(live[:cut])), (build(*SECTIONS[cut:]), mask(live[cut:]))]
    merged = merge_postings(parts)
    expected = build(*(section for section, is_live in zip(SECTIONS, live, strict=True) if is_live == "1"))
    assert list(merged.vocabulary.texts) == list(expected.vocabulary.texts)
    for term in "abcde":
        assert of_term(merged, term) == of_term(expected, term)
