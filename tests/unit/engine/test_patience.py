"""What a caller's ``fresh`` means."""

from __future__ import annotations

import pytest

from mdmemd.engine.patience import OFF, WAIT_SECONDS, Patience, parse_patience
from mdmemd.errors import InvalidRequestError


@pytest.mark.parametrize(
    ("fresh", "patience"),
    [
        ("", Patience(0.15)),
        ("off", OFF),
        ("wait", Patience(WAIT_SECONDS, is_explicit=True)),
        ("wait=2.5", Patience(2.5, is_explicit=True)),
        ("wait=600", Patience(600.0, is_explicit=True)),
    ],
)
def test_what_it_takes(fresh: str, patience: Patience) -> None:
    assert parse_patience(fresh, default_seconds=0.15) == patience


@pytest.mark.parametrize("fresh", ["on", "wait=", "wait=-1", "wait=601", "wait=1e9", "WAIT", " off"])
def test_anything_else_is_a_sentence(fresh: str) -> None:
    with pytest.raises(InvalidRequestError, match="fresh is") as caught:
        parse_patience(fresh, default_seconds=0.15)
    assert "wait=SECONDS" in caught.value.remedy
