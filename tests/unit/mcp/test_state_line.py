"""The line that says what an answer is worth (fault G10)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mdmem_testkit.fake_service import STATE
from mdmemd.engine.report import AnswerState, Coverage
from mdmemd.mcp.scope import Scope
from mdmemd.mcp.state_line import listing_state, search_state

ALL = Scope((), is_named=False, folder="")
ONE = Scope(("uv",), is_named=False, folder="")
WHOLE = replace(STATE, documents=202, sections=2422, passages=9320, embedded=9320, exact_sections=3)


def state(**changes: Any) -> AnswerState:
    return replace(WHOLE, **changes)


def test_one_line_when_all_is_well() -> None:
    assert search_state(WHOLE, scope=ONE, shown=5) == (
        "complete and fresh: 202 documents, 2422 sections in root 'uv'; hybrid, top 5 by rank, not "
        "exhaustive; 3 sections contain every word"
    )
    assert listing_state(WHOLE, scope=ALL) == "complete and fresh: 202 documents, 2422 sections in all roots"


def test_g10_a_search_says_that_it_is_ranked_and_how_many_sections_hold_every_word() -> None:
    line = search_state(state(exact_sections=1), scope=ALL, shown=10)
    assert "top 10 by rank, not exhaustive" in line
    assert "1 section contains every word" in line
    line = search_state(state(exact_sections=0), scope=ALL, shown=10)
    assert line.endswith("; no section contains every word")


@pytest.mark.parametrize(
    ("keyword_match", "words"),
    [
        ("no_match", "no section contains any word of the query"),
        ("filtered", "found only one by one"),
        ("no_terms", "no searchable word"),
        ("unavailable", "keyword search was not available"),
    ],
)
def test_what_became_of_the_words(keyword_match: str, words: str) -> None:
    line = search_state(state(keyword_match=keyword_match), scope=ALL, shown=0)
    assert words in line
    assert "top" not in line
    assert "every word" not in line


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"fresh": False, "outstanding": "uv: 3 files are still to be indexed"},
            "uv: 3 files are still to be indexed",
        ),
        ({"coverage": Coverage.PARTIAL, "pending_files": 1}, "1 file still to be indexed"),
        ({"coverage": Coverage.PARTIAL, "embedded": 400}, "400 of 9320 passages searchable by meaning"),
        ({"degraded": "the model is\nloading"}, "the model is loading"),
    ],
)
def test_every_shortcoming_is_named(changes: dict[str, Any], words: str) -> None:
    assert words in search_state(state(**changes), scope=ALL, shown=5)


def test_an_incomplete_answer_does_not_call_itself_complete() -> None:
    assert search_state(state(fresh=False), scope=ALL, shown=5).startswith("perhaps not fresh: ")
    assert search_state(state(coverage=Coverage.PARTIAL), scope=ALL, shown=5).startswith("incomplete: ")


def test_nothing_there() -> None:
    empty = state(coverage=Coverage.EMPTY, documents=0, sections=0, passages=0, embedded=0)
    assert "mdmemctl root add FOLDER" in listing_state(empty, scope=ALL)
    assert "no Markdown there" in listing_state(empty, scope=ONE)
    assert "mdmemctl" not in listing_state(replace(empty, pending_files=4), scope=ALL)
