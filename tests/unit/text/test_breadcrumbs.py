"""Heading paths are unique, and children inherit their parent's suffix."""

from __future__ import annotations

from mdmemd.text.breadcrumbs import unique_paths


def test_the_parent_is_the_nearest_heading_of_a_smaller_level() -> None:
    headings = [(3, "Three"), (1, "One"), (4, "Four"), (2, "Two"), (6, "Six"), (3, "Three"), (1, "Next")]
    assert unique_paths(headings) == [
        ("Three",),
        ("One",),
        ("One", "Four"),
        ("One", "Two"),
        ("One", "Two", "Six"),
        ("One", "Two", "Three"),
        ("Next",),
    ]


def test_children_inherit_the_suffix() -> None:
    headings = [(1, "API"), (2, "Options"), (2, "Options"), (1, "API"), (2, "Options")]
    assert unique_paths(headings) == [
        ("API",),
        ("API", "Options"),
        ("API", "Options [2]"),
        ("API [2]",),
        ("API [2]", "Options"),
    ]


def test_a_suffix_never_imitates_a_real_heading() -> None:
    assert unique_paths([(1, "Fixed"), (1, "Fixed"), (1, "Fixed [2]")]) == [
        ("Fixed",),
        ("Fixed [3]",),
        ("Fixed [2]",),
    ]
    lookalikes = [(1, "A [2]"), (1, "A"), (1, "A"), (1, "A [2]"), (1, "A [3]")]
    assert len(set(unique_paths(lookalikes))) == len(lookalikes)


def test_many_duplicates_and_their_lookalikes_stay_unique() -> None:
    headings = [(1, "a")] * 3_000 + [(1, f"a [{number}]") for number in range(3_000)]
    assert len(set(unique_paths(headings))) == len(headings)
