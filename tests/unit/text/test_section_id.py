"""Ids of sections: what they depend on, how they are written, and that each leads back to its document."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmemd.text.section_id import SectionId, parse_section_id, path_code, section_id


def test_an_id_is_the_same_for_ever() -> None:
    """Ids lie in people's notes: a change of the format is a change of what they see."""
    assert section_id("docs", "guide/install.md", ("Install", "Linux")) == "^1ebd3bqc"
    assert section_id("docs", "guide/install.md", ("Install", "Linux"), part=3) == "^1ebd3bqc.3"
    assert section_id("docs", "guide/install.md", ()) == "^1ebzrhqm"


def test_an_id_depends_on_root_path_and_headings_alone() -> None:
    places = [
        ("docs", "a.md", ("A", "B")), ("docs", "a.md", ("A", "B [2]")), ("docs", "a.md", ("A > B",)),
        ("docs", "a.md", ("A",)), ("docs", "a.md", ()), ("docs", "b.md", ("A", "B")),
        ("notes", "a.md", ("A", "B")), ("docs", "a.mdA", ("B",)), ("do", "csa.md", ("A", "B")),
    ]  # fmt: skip
    assert len({section_id(*place) for place in places}) == len(places)


@given(st.text(), st.text(), st.lists(st.text(), max_size=4), st.none() | st.integers(1, 999_999))
def test_every_id_is_read_back(root: str, path: str, titles: list[str], part: int | None) -> None:
    text = section_id(root, path, tuple(titles), part=part)
    assert re.fullmatch(r"\^[0-9a-hjkmnp-tv-z]{8}(\.[0-9]+)?", text)
    assert parse_section_id(text) == SectionId(section_id(root, path, tuple(titles)), path_code(path), part)


@pytest.mark.parametrize(
    "text",
    ["", "^", "^23ht59h", "^23ht59hz0", "23ht59hz", "^23ht59hl", "^23HT59HZ", "^23ht59hz.0", "^23ht59hz.",
     "^23ht59hz\n", "a.md#^23ht59hz", "^23ht59hz.md"],
)  # fmt: skip
def test_nothing_else_is_an_id(text: str) -> None:
    assert parse_section_id(text) is None


def test_two_of_many_sections_rarely_share_an_id() -> None:
    ids = [section_id("docs", f"f{file}.md", (f"H{n}",)) for file in range(200) for n in range(50)]
    assert len(set(ids)) == len(ids)
