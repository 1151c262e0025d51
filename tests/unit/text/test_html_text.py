"""The visible text of HTML blocks."""

from __future__ import annotations

import pytest

from mdmemd.text.html_text import visible_text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>Hello <b>you</b></p>", "Hello you"),
        ("before <!-- a > b --> after", "before after"),
        ("<!-- never closed", "never closed"),
        ('<img src="x" alt="A logo">', "A logo"),
        ("<img alt='one'>", "one"),
        ("&lt;tag&gt; &amp; more", "<tag> & more"),
        ("a < b and c > d", "a < b and c > d"),
        ("<details>\n<summary>Sum</summary>", "Sum"),
    ],
)
def test_visible_text(markup: str, text: str) -> None:
    assert " ".join(visible_text(markup).split()) == text


@pytest.mark.parametrize("markup", ["<a\nb>x\n</a>\ny", "<!-- a\n\nb -->\nc", "a&#10;b\nc", "<!-- a\nb"])
def test_line_ends_stay(markup: str) -> None:
    assert visible_text(markup).count("\n") == markup.count("\n")
