"""Patterns of headings."""

from __future__ import annotations

import time

import pytest

from mdmemd.search.heading_patterns import compile_headings


@pytest.mark.parametrize(
    ("pattern", "heading_path", "fits"),
    [
        ("Install*", ("Guide", "Installing uv"), True),
        ("install*", ("Guide", "INSTALL"), True),
        ("Install*", ("Install", "Linux"), False),
        ("*", ("(preamble)",), True),
        ("*Linux*", ("On Linux and others",), True),
        ("Guide > *", ("Guide", "Use"), True),
        ("Guide>Use", ("The", "Guide", "Use"), True),
        ("Guide > *", ("Guide",), False),
        ("Guide > *", ("Other", "Use"), False),
        ("What is it?", ("What is it?",), True),
        ("What is it?", ("What is its",), False),
        ("Same [2]", ("Same [2]",), True),
        ("Same [2]", ("Same 2",), False),
        ("  Two   words ", ("Two words",), True),
        ("a*\nb", ("a b",), True),
    ],
)
def test_a_pattern_fits_the_end_of_a_breadcrumb(
    pattern: str, heading_path: tuple[str, ...], *, fits: bool
) -> None:
    assert compile_headings(pattern)(heading_path) is fits


def test_many_stars_take_no_time() -> None:
    """X12, P20: a pattern of an agent must not hold the daemon."""
    fits = compile_headings("*a" * 2_000)
    started = time.process_time()
    assert not fits(("a" * 20_000 + "b",))
    assert time.process_time() - started < 5
