"""Release notes and what has passed stand back, unless they are asked for."""

from __future__ import annotations

import pytest

from mdmemd.search.query import parse_query
from mdmemd.search.standing import asks_for_the_newest, losses
from mdmemd.search.weights import AGE_LOSS, RELEASE_NOTES_LOSS, RELEASE_NOTES_LOSS_IDENTIFIERS, STATUS_LOSS


def lost(query: str, *, path: str = "guide.md", status: str | None = None) -> float:
    return sum(each.value for each in losses(path, status, parse_query(query)))


def test_an_ordinary_document_loses_nothing() -> None:
    assert lost("some words") == 0.0
    assert lost("some words", status="accepted") == 0.0


def test_release_notes_lose_more_where_a_name_is_asked_for() -> None:
    assert lost("some words", path="CHANGELOG.md") == RELEASE_NOTES_LOSS
    whole = RELEASE_NOTES_LOSS + RELEASE_NOTES_LOSS_IDENTIFIERS
    assert lost("--hidden", path="CHANGELOG.md") == pytest.approx(whole)


@pytest.mark.parametrize("query", ["what changed in the newest release", "Latest features", "the changelog"])
def test_release_notes_lose_nothing_where_they_are_asked_for(query: str) -> None:
    assert lost(query, path="docs/release-notes.md") == 0.0


@pytest.mark.parametrize("status", ["superseded", "Draft", " Deprecated "])
def test_what_does_not_hold_loses_unless_it_is_asked_for(status: str) -> None:
    assert lost("how to deploy", status=status) == STATUS_LOSS
    assert lost(f"{status} ways to deploy", status=status) == 0.0


@pytest.mark.parametrize(
    ("query", "is_asked"),
    [
        ("latest decision on caching", True),
        ("what did we recently decide", True),
        ("the current directory", False),
        ("a recentred image", False),
    ],
)
def test_which_questions_ask_for_the_newest(query: str, is_asked: bool) -> None:
    assert asks_for_the_newest(parse_query(query)) is is_asked


def test_the_older_loses_the_more_and_never_much() -> None:
    asked = parse_query("latest plan")
    lost = [losses("a.md", None, asked, age_days=days) for days in (1, 30, 365, 10_000)]
    assert losses("a.md", None, asked, age_days=0) == losses("a.md", None, asked) == ()
    values = [each.value for (each,) in lost]
    assert values == sorted(values)
    assert 0 < values[0] < values[1] == pytest.approx(AGE_LOSS / 2)
    assert values[-1] < AGE_LOSS
    assert lost[-1][0].what == "10,000 days older than the newest"
