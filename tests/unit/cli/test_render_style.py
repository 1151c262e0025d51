from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem.cli.answer import style_of
from mdmem.cli.render.document import render_read
from mdmem.cli.render.search import render_search
from mdmem.cli.render.status import duration
from mdmem.cli.render.style import Style, block, breadcrumb, counted, line, place, table
from mdmem_testkit import wire_values as values


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "colour"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
    ids=str,
)
def test_c3_colour_is_for_terminals_that_want_it(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], colour: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert style_of(Terminal()) == Style(terminal=True, colour=colour)
    assert style_of(io.StringIO()) == Style(terminal=False, colour=False)


def test_colour_adds_nothing_but_marks() -> None:
    plain = render_search(values.SEARCH, Style())
    coloured = render_search(values.SEARCH, Style(terminal=True, colour=True))
    assert "\x1b[1mdocs/guides/install-python.md:14-19\x1b[0m" in coloured
    for mark in ("\x1b[1m", "\x1b[2m", "\x1b[0m"):
        coloured = coloured.replace(mark, "")
    assert coloured == plain


@given(st.text())
def test_no_text_steers_the_terminal(text: str) -> None:
    for cleaned, kept in ((block(text), "\n\t"), (line(text), "")):
        assert not [
            character
            for character in cleaned
            if (ord(character) < 32 or 127 <= ord(character) < 160) and character not in kept
        ]


@given(st.text(st.characters(exclude_categories=["Cc", "Zl", "Zp"])))
def test_other_text_is_shown_as_it_is(text: str) -> None:
    assert line(text) == block(text) == text


def test_a_terminal_gets_a_section_without_control_characters() -> None:
    assert render_read(values.READ, Style()) == values.READ.text
    assert render_read(values.READ, Style(terminal=True)) == (
        "## Getting started\n\nTo install \\x1b[2J the latest 🐍 version\n"
    )


def test_small_words() -> None:
    assert place("a.md", (3, 3)) == "a.md:3"
    assert breadcrumb([], 2) == "(part 2)"
    assert (counted(1, "file"), counted(0, "file"), counted(1200, "file")) == (
        "1 file",
        "0 files",
        "1,200 files",
    )
    assert [duration(seconds) for seconds in (-3, 59, 60, 3660, 90_000)] == [
        "0 s",
        "59 s",
        "1 min",
        "1 h 1 min",
        "1 d 1 h",
    ]


def test_a_table_is_aligned_and_has_no_trailing_space() -> None:
    assert table([["a", "1", "xyz"], ["bb", "22", "q"]], right=frozenset({1})) == ["a    1  xyz", "bb  22  q"]
