"""The estimate of tokens."""

from __future__ import annotations

import pytest

from mdmemd.text.token_estimate import estimate_tokens, token_quarters


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("漢字", 2),
        ("한국어", 3),
        ("😀", 1),
        ("漢a", 2),
        ("äöüß", 1),
    ],
)
def test_estimate(text: str, expected: int) -> None:
    assert estimate_tokens(text) == expected


def test_quarters_add_up_over_pieces() -> None:
    text = "one 二 three 四 äö😀 five"
    assert token_quarters(text) == sum(token_quarters(character) for character in text)
